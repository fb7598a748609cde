import { beforeAll, describe, expect, test } from "vitest";
import { judge, type AnalyzedResource } from "../../../policies/engine/judge";
import { packs } from "../../../policies/packs";
import { firstPreviewOfLab, laterPreview, withoutComponents, withoutLease } from "./environment";
import { configurationOf, incidents } from "./incidents";

/** The rules that fail, by how heavily. */
function broken(resources: readonly AnalyzedResource[], what = ""): string[] {
  const findings = judge(packs.shared, resources, { stack: "dev", config: configurationOf[what] ?? {} });
  return [...new Set(findings.filter(({ verdict }) => verdict === "fail").map(({ rule }) => rule))].sort();
}

/** A later preview always advises on a plain Release, because the version of the program is not visible. */
const alwaysAdvised = "gpu-operator-chart-pinned";

describe("what has gone wrong on GPU clusters", () => {
  let healthy: AnalyzedResource[];
  beforeAll(async () => {
    const enabled = ["gpuOperator.enabled=true", "controllers.clusterAutoscaler.install=true"];
    healthy = withoutComponents(await firstPreviewOfLab(...enabled));
  });

  test("nothing is wrong to begin with", () => {
    expect(broken(healthy)).toEqual([]);
    expect(broken(laterPreview(healthy))).toEqual([alwaysAdvised]);
  });

  test.each(incidents)(
    "$what: $rule, and no other rule, in a first preview and in a later one",
    ({ what, rule, change }) => {
      const expected = [...new Set([alwaysAdvised, rule])].sort();
      expect(broken(change(healthy), what)).toEqual([rule]);
      expect(broken(change(laterPreview(healthy)), what)).toEqual(expected);
      expect(broken(laterPreview(change(healthy)), what)).toEqual(expected);
    },
  );
});

test("a floating chart is refused in both previews, not only advised on", async () => {
  const healthy = withoutComponents(await firstPreviewOfLab("gpuOperator.enabled=true"));
  const floating = incidents.find(({ rule }) => rule === alwaysAdvised)?.change(healthy) ?? [];
  for (const resources of [floating, laterPreview(floating)]) {
    const levels = judge(packs.lab, resources, { policyConfig: withoutLease }).map(({ rule, level }) => [rule, level]);
    expect(levels).toEqual([[alwaysAdvised, "mandatory"]]);
  }
});
