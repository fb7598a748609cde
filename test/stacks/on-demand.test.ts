import { describe, expect, test } from "vitest";
import { packs } from "../../policies/packs";
import { labs } from "../../stacks/labs";
import { onDemandLabs } from "../../stacks/on-demand";
import { readLabConfig } from "../../stacks/run/lab-config";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { runLab } from "../../stacks/run/run-lab";
import { runCli } from "../support/cli";
import { ownProject } from "../support/own-project";
import { only, plan } from "../support/plan";

const names = Object.keys(labs) as (keyof typeof labs)[];
const provisioners = ["karpenter", "autoMode"] as const;

/** Why a lab refuses a provisioner. */
const refusal = (name: keyof typeof labs, provisioner: (typeof provisioners)[number]) =>
  (provisioner === "autoMode" ? onDemandLabs[name].refusedByAutoMode : undefined) ?? onDemandLabs[name].refused;

const chosen = (provisioner: string) => `gpuNodes.provisioner=${provisioner}`;
const read = (stack: string, provisioner: string, ...overrides: string[]) =>
  readLabConfig(stackConfig(findProject(ownProject), stack, [chosen(provisioner), ...overrides]).values, stack);

/** Of all nodes that the limit allows. Auto Mode adds its fee. */
const priceAtLimit = { karpenter: 2.499, autoMode: 2.692 };

describe.for(provisioners)("with %s", (provisioner) => {
  const running = names.filter((name) => refusal(name, provisioner) === undefined);

  describe.for(running)("%s", (stack) => {
    test.for(Object.keys(packs))("is accepted by the pack %s, with the price of the limit", async (pack) => {
      const config = chosen(provisioner);
      const { status, out } = await runCli(["plan", "--stack", stack, "--pack", pack, "--config", config]);
      expect(out).toMatch(/Accepted by the policy pack/);
      const most = priceAtLimit[provisioner] / (stack === "no-node-comes" ? 2 : 1);
      expect(out).toContain(`USD ${most.toFixed(4)} per hour at maximum size`);
      expect(out).toContain(`GPU nodes  ${stack}-gpu`);
      expect(status).toBe(0);
    });
  });

  test.for(names.filter((name) => !running.includes(name)))("%s says why it needs another", (stack) => {
    const [problem, ...others] = read(stack, provisioner).problems;
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      ...{ code: "conflict", path: "gpuNodes.provisioner", got: provisioner, why: refusal(stack, provisioner) },
      ...{ fix: "pulumi config rm --path gpuNodes.provisioner", isDefault: false },
    });
  });
});

test("a lab with EKS Auto Mode installs no GPU Operator, and its pods need none", () => {
  const { config } = read("gpu-rollout", "autoMode");
  expect(config?.environment).not.toHaveProperty("gpuOperator");
  expect(config?.environment.monitoring).toEqual({ enabled: true });
  expect(read("gpu-rollout", "karpenter").config?.environment.gpuOperator).toMatchObject({ enabled: true });
  const { problems } = read("gpu-rollout", "autoMode", "gpuOperator.enabled=true");
  expect(problems.map(({ path }) => path)).toEqual(["gpuOperator.enabled"]);
});

test("with EKS Auto Mode, the NodePool of no-node-comes has the fault of its start-up taint", async () => {
  const fault = ["fault=on", "faultVariant=startupTaint", `expires=${new Date(Date.now() + 3_600_000).toISOString()}`];
  const { values } = stackConfig(findProject(ownProject), "no-node-comes", [chosen("autoMode"), ...fault]);
  const { resources } = await plan(() => runLab(values, "no-node-comes"));
  const pool = resources.find(({ type }) => type.endsWith(":NodePool") && !type.startsWith("eks-gpu-lab:"));
  expect(pool?.inputs["spec"]).toMatchObject({
    template: {
      spec: {
        nodeClassRef: { kind: "NodeClass" },
        startupTaints: [{ key: "example.com/setup", effect: "NoSchedule" }],
      },
    },
  });
});

test("gpu-lab with Karpenter has the device plugin, and its waiting pods hold up no validator", async () => {
  const { values } = stackConfig(findProject(ownProject), "gpu-lab", [chosen("karpenter")]);
  const recording = await plan(() => runLab(values, "gpu-lab"));
  expect(only(recording, "eks-gpu-lab:index:GpuOperator").inputs).toMatchObject({ devicePlugin: true });
  expect(only(recording, "eks-gpu-lab:index:GpuOperator").inputs).toMatchObject({ validatorWorkload: false });
  const { problems } = read("gpu-lab", "karpenter", "gpuOperator.enabled=false");
  expect(problems.map(({ path }) => path)).toEqual(["gpuOperator.enabled"]);
  expect(read("gpu-lab", "autoMode").config?.environment).not.toHaveProperty("gpuOperator");
  expect(read("gpu-lab", "managedNodeGroup").config?.environment).not.toHaveProperty("gpuOperator");
});

test("a stack has a lease without hours, and node-health the repair of Karpenter", () => {
  const { config } = read("node-health", "karpenter");
  expect(config?.environment.lease).toEqual({ lab: "node-health", timeZone: "Asia/Seoul" });
  expect(config?.environment.gpuHealth).toEqual({ repair: {} });
  expect(
    readLabConfig(stackConfig(findProject(ownProject), "gpu-lab", []).values, "gpu-lab").config?.environment.lease,
  ).toEqual({
    ...{ lab: "gpu-lab", timeZone: "Asia/Seoul", hours: 6 },
  });
});

test("the command that restores gpu-lab has quotes, so a shell must evaluate it", async () => {
  const { values } = stackConfig(findProject(ownProject), "gpu-lab", [chosen("karpenter")]);
  const { outputs } = await plan(() => runLab(values, "gpu-lab"));
  expect(outputs["restore"]).toBe('eval "$(pulumi stack output scaleDown)"');
});
