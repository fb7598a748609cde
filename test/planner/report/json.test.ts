import { beforeAll, describe, expect, test } from "vitest";
import { renderJson } from "../../../planner/report/json";
import type { Recording } from "../../../planner/record/record";
import { unknownSentinel } from "../../../components/core/wire";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { finding, planOf, recordingOf } from "../recordings";

describe("a recorded program", () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await plan(() => labProgram({ operator: true, warns: true, secret: "hunter2" }));
  });

  const stepOf = (name: string, type: string) =>
    renderJson(planOf(recording)).steps.find(({ urn }) => urn.endsWith(`${type}::${name}`));

  test("every resource is created, the stack first and without inputs", () => {
    const { steps, changeSummary } = renderJson(planOf(recording));
    expect(changeSummary).toEqual({ create: recording.resources.length });
    expect(steps).toHaveLength(recording.resources.length);
    expect(steps.every(({ op, detailedDiff }) => op === "create" && detailedDiff === null)).toBe(true);
    const urn = "urn:pulumi:test::eks-gpu-lab::pulumi:pulumi:Stack::eks-gpu-lab-test";
    expect(steps[0]).toEqual({
      op: "create",
      urn,
      newState: { urn, custom: false, type: "pulumi:pulumi:Stack" },
      detailedDiff: null,
    });
  });

  test("a step has what the engine's has: sorted inputs, the unknown sentinel, dependencies by property", () => {
    const prefix = "urn:pulumi:test::eks-gpu-lab::eks-gpu-lab:index:GpuEnvironment$eks-gpu-lab:index:";
    const vpc = `${prefix}Vpc$aws:ec2/vpc:Vpc::lab`;
    const gateway = `${prefix}Vpc$aws:ec2/internetGateway:InternetGateway::lab-internet`;
    const table = `${prefix}Vpc$aws:ec2/routeTable:RouteTable::lab-public`;
    expect(stepOf("lab-public", "aws:ec2/route:Route")?.newState).toEqual({
      urn: `${prefix}Vpc$aws:ec2/route:Route::lab-public`,
      custom: true,
      type: "aws:ec2/route:Route",
      inputs: { destinationCidrBlock: "0.0.0.0/0", gatewayId: unknownSentinel, routeTableId: unknownSentinel },
      parent: `${prefix}Vpc::lab`,
      dependencies: [gateway, table].sort(),
      propertyDependencies: { destinationCidrBlock: [], gatewayId: [gateway], routeTableId: [table] },
    });
    expect(Object.keys(stepOf("lab", "aws:ec2/vpc:Vpc")?.newState.inputs ?? {})).toEqual(["cidrBlock", "tags"]);
    expect(vpc).toBe(stepOf("lab", "aws:ec2/vpc:Vpc")?.urn);
  });

  test("the step and the state contain an explicit provider with an unknown id", () => {
    const step = stepOf("lab-gpu-operator", "kubernetes:helm.sh/v3:Release");
    expect(step?.provider).toMatch(
      /\$pulumi:providers:kubernetes::lab-kubernetes::04da6b54-80e4-46f7-96ec-b56ff0331ba9$/,
    );
    expect(step?.newState.provider).toBe(step?.provider);
    expect(stepOf("lab", "aws:ec2/vpc:Vpc")).not.toHaveProperty("provider");
  });

  test("secrets are masked everywhere", () => {
    const document = renderJson(planOf(recording));
    expect(stepOf("lab-secret", "aws:iam/role:Role")?.newState.inputs).toEqual({
      assumeRolePolicy: "{}",
      description: "[secret]",
    });
    expect(JSON.stringify(document)).not.toContain("hunter2");
  });

  test("options stand where the engine puts them", () => {
    expect(stepOf("lab-gpu", "aws:eks/nodeGroup:NodeGroup")?.newState.ignoreChanges).toEqual([
      "scalingConfig.desiredSize",
    ]);
  });

  test("messages look as the engine prints them", () => {
    expect(renderJson(planOf(recording)).diagnostics).toEqual([
      {
        urn: "urn:pulumi:test::eks-gpu-lab::eks-gpu-lab:index:GpuEnvironment::lab",
        message: "warning: publicAccessCidrs: 203.0.113.0/24 is a documentation address\n",
        severity: "warning",
      },
    ]);
  });

  test("two recordings of one program give the same document, which holds no time", async () => {
    const again = await plan(() => labProgram({ operator: true, warns: true, secret: "hunter2" }));
    const [one, other] = [recording, again].map((each) => JSON.stringify(renderJson(planOf(each))));
    expect(one).toBe(other);
    expect(one).not.toContain("duration");
  });
});

test("all options of a resource, timeouts in seconds", () => {
  const recording = recordingOf([
    {
      type: "aws:kms/key:Key",
      name: "key",
      options: {
        protect: true,
        retainOnDelete: true,
        deletedWith: "urn:x",
        customTimeouts: { create: "1h30m", update: "", delete: "90s" },
      },
    },
  ]);
  expect(renderJson(planOf(recording)).steps[1]?.newState).toMatchObject({
    protect: true,
    retainOnDelete: true,
    deletedWith: "urn:x",
    customTimeouts: { create: 5400, delete: 90 },
  });
});

test("findings, pack, cost and configuration are in the document next to the steps", () => {
  const failure = finding({});
  const plan = { ...planOf(recordingOf([]), { findings: [failure] }), config: { "lab:b": "2", "lab:a": "[secret]" } };
  const document = renderJson(plan);
  expect(document.policies).toEqual([failure]);
  expect(document.policyPack).toEqual({ name: "lab", version: "1.2.3", rules: 24 });
  expect(document.cost.region).toBe("ap-northeast-2");
  expect(JSON.stringify(document.config)).toBe('{"lab:a":"[secret]","lab:b":"2"}');
});

test("information has no prefix, as in the engine's output", () => {
  const recording = recordingOf([], { diagnostics: [{ severity: "info", message: "hello" }] });
  expect(renderJson(planOf(recording)).diagnostics).toEqual([{ message: "hello\n", severity: "info" }]);
});
