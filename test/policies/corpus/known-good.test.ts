import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { registeredBy } from "../../../tools/judge-program";
import { judge, type AnalyzedResource, type Pack } from "../../../policies/engine/judge";
import { packs } from "../../../policies/packs";
import { firstPreviewOfLab, laterPreview, withoutLease } from "./environment";

const folder = join(process.cwd(), "test/policies/corpus/known-good");
const programs = readdirSync(folder);

/** What a pack says of a stack that is no lab, in the first preview and in a later one. */
function findings(pack: Pack, resources: readonly AnalyzedResource[]) {
  return [resources, laterPreview(resources)].flatMap((preview) =>
    judge(pack, preview, { project: "example", stack: "dev", policyConfig: withoutLease }),
  );
}

/**
 * Advice on the programs, each looked at: a raw Release of the operator always gets it. Whatever else comes up is a
 * false alarm of a rule, or a fault of the program.
 */
const advice: Readonly<Record<string, readonly string[]>> = {
  // A new AMI of EKS replaces a node while its Job runs.
  "auto-mode.ts": ["gpu-pool-consolidation gpu"],
  "bottlerocket.ts": ["gpu-operator-chart-pinned gpu-operator"],
  "gpu-operator-al2023.ts": ["gpu-operator-chart-pinned gpu-operator"],
  "gpu-operator-ubuntu.ts": ["gpu-operator-chart-pinned gpu-operator"],
  // Its limits allow 16 vCPUs. The quota of the rule is 8, until the configuration states another one.
  "karpenter-g5.ts": ["gpu-vcpu-quota gpu-pool"],
  "terraform-original.ts": ["gpu-operator-chart-pinned gpu-operator"],
};

const registered = new Map<string, AnalyzedResource[]>();

beforeAll(async () => {
  for (const file of programs) registered.set(file, await registeredBy(join(folder, file), process.cwd()));
});

describe.each(programs)("the program %s", (file) => {
  const of = () => registered.get(file) ?? [];

  test("breaks no mandatory rule of any pack, in a first preview and in a later one", () => {
    for (const pack of Object.values(packs)) {
      const broken = findings(pack, of()).filter(({ level, verdict }) => level === "mandatory" && verdict === "fail");
      expect(broken.map(({ rule, name, message }) => `${rule} ${name}: ${message}`)).toEqual([]);
    }
  });

  test("gets the advice that is right, and none besides", () => {
    const failed = findings(packs.audit, of()).filter(({ verdict }) => verdict === "fail");
    expect([...new Set(failed.map(({ rule, name }) => `${rule} ${name}`))]).toEqual(advice[file] ?? []);
  });

  test("gives rules something to judge", () => {
    const judged = packs.shared.rules.filter(({ rule }) => of().some(({ type }) => rule.types.includes(type)));
    expect(of().length).toBeGreaterThanOrEqual(4);
    expect(judged.length).toBeGreaterThanOrEqual(4);
  });
});

test("there is no rule that could have refused none of the programs", () => {
  const types = new Set([...registered.values()].flat().map(({ type }) => type));
  const idle = packs.shared.rules.filter(({ rule }) => !rule.types.some((type) => types.has(type)));
  expect(idle.map(({ rule }) => rule.id)).toEqual([]);
});

const everything = [
  "gpuOperator.enabled=true",
  "controllers.loadBalancerController.install=true",
  "controllers.clusterAutoscaler.install=true",
];

test.each([
  ["as it is", []],
  ["with everything in it", everything],
] as const)("gpu-lab %s gives no pack anything to say, in a first preview and in a later one", async (_, config) => {
  const first = await firstPreviewOfLab(...config);
  for (const resources of [first, laterPreview(first)]) {
    for (const pack of Object.values(packs)) {
      const findings = judge(pack, resources, { project: "eks-gpu-lab", stack: "gpu-lab" });
      expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    }
  }
});
