import { beforeAll, describe, expect, test } from "vitest";
import { createCloud } from "../../simulation/create-cloud";
import { changesByKey } from "../../tools/config-docs";
import { effectOf, observed, type Line } from "./support/changes";
import { describeEngine, errorsOf, failing, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { scaleGpuNodes } from "./support/gpu-nodes";
import { baseConfig as base, changesAlone, contextOf, dated, otherValues, refusedChanges } from "./support/key-changes";
import { sharedPreviews, type SharedPreview, type Shown } from "./support/key-changes";

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

/** What docs/changes.md says. */
const effects = changesByKey();

describeEngine("what happens when a configuration key changes", () => {
  // Enough for every instance type of the table.
  const shared = sharedWorkspace({ config: base, cloud: () => createCloud({ account: { gpuVcpuQuota: 192 } }) });
  beforeAll(async () => void (await succeeding(shared.current.up())));

  describe.each(Object.keys(sharedPreviews) as SharedPreview[])("%s", (preview) => {
    const rows = Object.entries<Shown>(sharedPreviews[preview]);
    let lines: Line[] = [];

    beforeAll(async () => {
      scaleGpuNodes(shared.current.cloud, preview === "nodes" ? 1 : 0);
      shared.current.configure([...base, ...contextOf[preview], ...dated(rows.flatMap(([, { config }]) => config))]);
      lines = observed(await succeeding(shared.current.preview()));
    });

    test.for(rows)("%s", ([key, { lines: expected }]) => {
      const own = expected.map((start) => lines.filter(({ text }) => text.startsWith(start)));
      expect(own.map((found, index) => `${expected[index]}: ${found.length > 0}`)).toEqual(
        expected.map((start) => `${start}: true`),
      );
      expect(effectOf(own.flat())).toBe(effects.get(key)?.effect);
    });

    test("nothing else changes", () => {
      const named = rows.flatMap(([, { lines }]) => lines);
      const others = lines.filter(({ text }) => !named.some((start) => text.startsWith(start)));
      const left = others.filter(({ text }) => !consequences.some((pattern) => pattern.test(text)));
      expect(preview === "kubernetes" ? [] : left.map(({ text, kind }) => `${text}: ${kind}`)).toEqual([]);
    });
  });

  test.for(Object.entries(refusedChanges))("refused: %s", async ([key, config]) => {
    shared.current.configure([...base, ...config]);
    expect(errorsOf(await failing(shared.current.preview()))).toMatch(new RegExp(`^\\s*${key}\\b.*: got `, "m"));
  });
});

const alone = Object.entries({ ...changesAlone, ...otherValues });
const stacks = [...new Set(alone.map(([, change]) => change.stack))];

describeEngine.each(stacks)("what happens when a configuration key of a stack with the lab %s changes", (stack) => {
  const config = stack === "gpu-lab" ? base : [ownAddress];
  const shared = sharedWorkspace({ stack, config, cloud: () => createCloud({ account: { gpuVcpuQuota: 192 } }) });
  let deployed: readonly string[] | undefined;

  test.for(alone.filter(([, change]) => change.stack === stack))("%s", async ([key, change]) => {
    const { from, lines: expected } = change;
    const effect = effects.get(key.split("=")[0] ?? "")?.effect;
    if (deployed?.join() !== from.join()) {
      shared.current.configure([...config, ...dated(from)]);
      await succeeding(shared.current.up());
      deployed = from;
    }
    shared.current.configure([...config, ...dated([...from, ...change.config])]);
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
