import { beforeAll, describe, expect, test } from "vitest";
import { sharedPreviews, type SharedPreview } from "../../tools/changes/change-row";
import { createCloud } from "../../simulation/create-cloud";
import type { LabName } from "../../stacks/labs";
import { dated, effectOf, observed, rowsOf, type Line } from "./support/changes";
import { describeEngine, errorsOf, failing, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { scaleGpuNodes } from "./support/gpu-nodes";
import { newerChart, nextKubernetesPins } from "./support/versions";

const base = [
  ownAddress,
  "gpuOperator.enabled=true",
  "monitoring.enabled=true",
  "controllers.loadBalancerController.install=true",
  "tags.team=a",
];

/** What a preview needs in addition to the changes of its rows. */
const context: Readonly<Record<SharedPreview, readonly string[]>> = {
  nodes: ["gpuNodes.desiredSize=1"],
  rolling: [],
  // With EFA, an older chart is rejected.
  replaced: ["gpuOperator.chartVersion=v26.3.3"],
  software: [],
  removed: [],
  unchanged: [],
  kubernetes: [...newerChart, ...nextKubernetesPins],
};

/** Changes that follow from others: a new group has a new Auto Scaling group, and the lease names the group. */
const consequences = [
  /^NodeGroup \S+ launchTemplate\.version/,
  /^Tag \S+ autoscalingGroupName/,
  /^RolePolicy gpu-lab-lease-policy policy/,
  /^Schedule \S+ target\.input/,
  /^\S+ \S+ tags(All)?\.(team|lab|owner|expires-at)/,
  /^\S+ \S+ tagSpecifications/,
  /^Release gpu-lab-load-balancer-controller-release values\.defaultTags/,
];

describeEngine("what happens when a configuration key changes", () => {
  // Enough for every instance type of the table.
  const shared = sharedWorkspace({ config: base, cloud: () => createCloud({ account: { gpuVcpuQuota: 192 } }) });
  beforeAll(async () => void (await succeeding(shared.current.up())));

  describe.each(sharedPreviews)("%s", (preview) => {
    const rows = rowsOf(preview);
    let lines: Line[] = [];

    beforeAll(async () => {
      scaleGpuNodes(shared.current.cloud, preview === "nodes" ? 1 : 0);
      shared.current.configure([...base, ...context[preview], ...dated(rows.flatMap(([, { proof }]) => proof.config))]);
      lines = observed(await succeeding(shared.current.preview()));
    });

    test.for(rows)("%s", ([, { effect, proof }]) => {
      const { lines: expected = [] } = proof;
      const own = expected.map((start) => lines.filter(({ text }) => text.startsWith(start)));
      expect(own.map((found, index) => `${expected[index]}: ${found.length > 0}`)).toEqual(
        expected.map((start) => `${start}: true`),
      );
      expect(effectOf(own.flat())).toBe(effect);
    });

    test("nothing else changes", () => {
      const named = rows.flatMap(([, { proof }]) => proof.lines ?? []);
      const others = lines.filter(({ text }) => !named.some((start) => text.startsWith(start)));
      const left = others.filter(({ text }) => !consequences.some((pattern) => pattern.test(text)));
      expect(preview === "kubernetes" ? [] : left.map(({ text, kind }) => `${text}: ${kind}`)).toEqual([]);
    });
  });

  test.for(rowsOf("refused"))("refused: %s", async ([key, { proof }]) => {
    shared.current.configure([...base, ...proof.config]);
    expect(errorsOf(await failing(shared.current.preview()))).toMatch(new RegExp(`^\\s*${key}\\b.*: got `, "m"));
  });
});

const alone = rowsOf("alone");
const stackOf = ({ stack = "gpu-lab" }: { readonly stack?: LabName }) => stack;
const stacks = [...new Set(alone.map(([, { proof }]) => stackOf(proof)))];

describeEngine.each(stacks)("what happens when a configuration key of a stack with the lab %s changes", (stack) => {
  const config = stack === "gpu-lab" ? base : [ownAddress];
  const shared = sharedWorkspace({ stack, config, cloud: () => createCloud({ account: { gpuVcpuQuota: 192 } }) });
  let deployed: readonly string[] | undefined;

  test.for(alone.filter(([, { proof }]) => stackOf(proof) === stack))("%s", async ([key, { effect, proof }]) => {
    const { from = [], lines: expected = [] } = proof;
    if (deployed?.join() !== from.join()) {
      shared.current.configure([...config, ...dated(from)]);
      await succeeding(shared.current.up());
      deployed = from;
    }
    shared.current.configure([...config, ...dated([...from, ...proof.config])]);
    if (effect === "refused") {
      const [section] = key.split(".");
      const errors = errorsOf(await failing(shared.current.preview()));
      expect(errors).toMatch(new RegExp(`^\\s*${section}: got `, "m"));
      expect(errors).toContain("the update would delete that cluster");
      return;
    }
    const lines = observed(await succeeding(shared.current.preview()));
    expect(lines.filter(({ text }) => !expected.some((start) => text.startsWith(start)))).toEqual([]);
    expect(expected.filter((start) => !lines.some(({ text }) => text.startsWith(start)))).toEqual([]);
    expect(effectOf(lines)).toBe(effect);
  });
});
