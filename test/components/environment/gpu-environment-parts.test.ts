import * as v from "valibot";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { GpuEnvironment, InputError, Vpc } from "../../../components";
import type * as Schemas from "../../../components/core/schema";
import { resolved, type Schema } from "../../../components/core/schema";
import { vpcDefaults, type CompleteVpcArgs } from "../../../components/network/vpc/vpc-schema";
import { findProject } from "../../../planner/program/project";
import { stackConfig } from "../../../planner/program/stack-config";
import { runLab } from "../../../stacks/run/run-lab";
import { ofType, plan } from "../../support/plan";
import { brief } from "../../support/problems";
import { ownProject } from "../../support/own-project";

/** Components whose arguments were checked, and numbers that were checked. */
const checked = vi.hoisted(() => ({ components: [] as string[], numbers: [] as number[] }));

vi.mock("../../../components/core/schema", async (importOriginal) => {
  const schemas = await importOriginal<typeof Schemas>();
  const counted = (schema: Schema, subject: string): Schema => ({
    ...schema,
    "~run": (dataset, config) => {
      checked.components.push(subject);
      return schema["~run"](dataset, config);
    },
  });
  const wholeNumber = (range: Parameters<typeof schemas.wholeNumber>[0]) =>
    v.pipe(
      schemas.wholeNumber(range),
      v.check((got) => checked.numbers.push(got) > 0),
    );
  return {
    ...schemas,
    s: { ...schemas.s, wholeNumber },
    resolveArgs: (...[subject, schema, ...others]: Parameters<typeof schemas.resolveArgs>) =>
      schemas.resolveArgs(subject, counted(schema, subject), ...others),
    completeArgs: (...[subject, schema, ...others]: Parameters<typeof schemas.completeArgs>) =>
      schemas.completeArgs(subject, counted(schema, subject), ...others),
  };
});

beforeEach(() => void Object.assign(checked, { components: [], numbers: [] }));

const publicAccessCidrs = ["198.51.100.7/32"];
const everything = {
  publicAccessCidrs,
  gpuOperator: { enabled: true },
  monitoring: { enabled: true },
  controllers: { loadBalancerController: { install: true }, clusterAutoscaler: { install: true } },
};

test("an environment checks the arguments of its parts once, as its own", async () => {
  await plan(() => void new GpuEnvironment("lab", everything));
  expect(checked.components).toEqual(['GpuEnvironment "lab"']);
});

describe("a component", () => {
  const flowLogs = "yes" as unknown as boolean;

  test("checks its own arguments", async () => {
    const error: unknown = await plan(() => void new Vpc("own", { flowLogs })).catch((reason: unknown) => reason);
    expect(InputError.is(error) && brief(error.problems)).toEqual(["wrong-type flowLogs"]);
    expect(checked.components).toEqual(['Vpc "own"']);
  });

  test("does not check arguments that its parent resolved", async () => {
    const args = resolved<CompleteVpcArgs>({ ...vpcDefaults, nameTag: "own", flowLogs });
    const { resources } = await plan(() => void new Vpc("own", args));
    expect(resources.find(({ type }) => type === "eks-gpu-lab:index:Vpc")?.inputs).toMatchObject({ flowLogs });
    expect(checked.components).toEqual([]);
  });

  test("cannot be given incomplete arguments as resolved", () => {
    // @ts-expect-error without nameTag
    resolved<CompleteVpcArgs>(vpcDefaults);
    // @ts-expect-error without the type of the complete arguments
    resolved({});
  });
});

test("each value of a stack is checked once on its way from the stack file to its resource", async () => {
  const { values } = stackConfig(findProject(ownProject), "gpu-lab", []);
  const config = {
    ...values,
    "eks-gpu-lab:systemNodes": JSON.stringify({ maxSize: 11, diskSizeGiB: 131 }),
    "eks-gpu-lab:gpuNodes": JSON.stringify({ maxSize: 12, diskSizeGiB: 132 }),
    "eks-gpu-lab:gpuOperator": JSON.stringify({ enabled: true, timeoutSeconds: 1301 }),
    "eks-gpu-lab:monitoring": JSON.stringify({ enabled: true, retentionHours: 13 }),
  };
  const recording = await plan(() => runLab(config, "gpu-lab"));
  const sizes = ofType(recording, "aws:eks/nodeGroup:NodeGroup").map(({ inputs }) => inputs["scalingConfig"]);
  expect(sizes).toEqual(
    expect.arrayContaining([expect.objectContaining({ maxSize: 11 }), expect.objectContaining({ maxSize: 12 })]),
  );
  const own = [11, 131, 12, 132, 1301, 13];
  expect(checked.numbers.filter((number) => own.includes(number)).sort()).toEqual(own.sort());
});
