import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeProgram } from "../../../planner/judge-program";
import { judge } from "../../../policies/core/judge";
import { packs } from "../../../policies/packs";
import { firstPreviewOfLab, laterPreview } from "./environment";

const folder = join(process.cwd(), "test/policies/corpus/known-good");

test.each(readdirSync(folder))("the program %s breaks no mandatory rule of any pack", async (file) => {
  for (const pack of Object.values(packs)) {
    const findings = await judgeProgram(join(folder, file), process.cwd(), pack);
    const broken = findings.filter(({ level, verdict }) => level === "mandatory" && verdict === "fail");
    expect(broken.map(({ rule, name, message }) => `${rule} ${name}: ${message}`)).toEqual([]);
  }
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
