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
import { plan } from "../support/plan";

const chosen = "gpuNodes.provisioner=karpenter";
const names = Object.keys(labs) as (keyof typeof labs)[];
const refused = names.filter((name) => onDemandLabs[name].refused !== undefined);
const running = names.filter((name) => !refused.includes(name));

const read = (stack: string, ...overrides: string[]) =>
  readLabConfig(stackConfig(findProject(ownProject), stack, [chosen, ...overrides]).values, stack);

describe.for(running)("%s with nodes on demand", (stack) => {
  test.for(Object.keys(packs))("is accepted by the pack %s, with the price of the limit", async (pack) => {
    const { status, out } = await runCli(["plan", "--stack", stack, "--pack", pack, "--config", chosen]);
    expect(out).toMatch(/Accepted by the policy pack/);
    const most = stack === "no-node-comes" ? "1.2495" : "2.4990";
    expect(out).toContain(`USD ${most} per hour at maximum size`);
    expect(out).toContain(`GPU nodes  ${stack}-gpu`);
    expect(status).toBe(0);
  });
});

test.for(refused)("%s says why it needs a node group, and runs where the cluster is not its own", (stack) => {
  const [problem, ...others] = read(stack).problems;
  expect(others).toEqual([]);
  expect(problem).toMatchObject({
    ...{ code: "conflict", path: "gpuNodes.provisioner", got: "karpenter", why: onDemandLabs[stack].refused },
    ...{ fix: "pulumi config rm --path gpuNodes.provisioner", isDefault: false },
  });
});

test("a stack has a lease without hours, and node-health the repair of Karpenter", () => {
  const { config } = read("node-health");
  expect(config?.environment.lease).toEqual({ lab: "node-health", timeZone: "Asia/Seoul" });
  expect(config?.environment.gpuHealth).toEqual({ repair: {} });
  expect(
    readLabConfig(stackConfig(findProject(ownProject), "gpu-lab", []).values, "gpu-lab").config?.environment.lease,
  ).toEqual({
    ...{ lab: "gpu-lab", timeZone: "Asia/Seoul", hours: 6 },
  });
});

test("the command that restores gpu-lab has quotes, so a shell must evaluate it", async () => {
  const { values } = stackConfig(findProject(ownProject), "gpu-lab", [chosen]);
  const { outputs } = await plan(() => runLab(values, "gpu-lab"));
  expect(outputs["restore"]).toBe('eval "$(pulumi stack output scaleDown)"');
});
