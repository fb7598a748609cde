import { describe, expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { runLab } from "../../stacks/run/run-lab";
import { changesByKey } from "../../tools/config-docs";
import { baseConfig, changesAlone, contextOf, dated, sharedPreviews, type Shown } from "../engine/support/key-changes";
import { ownProject } from "../support/own-project";
import { plan } from "../support/plan";

// A key that nothing reads changes no plan. The engine tests compare the same changes with the previews of Pulumi.

const project = findProject(ownProject);

/** What an offline plan creates, as text, without the arguments of components. The last value of a key counts. */
async function created(stack: string, config: readonly string[]): Promise<string> {
  const byKey = new Map(dated(config).map((text) => [text.slice(0, text.indexOf("=")), text]));
  const { values } = stackConfig(project, stack, [...byKey.values()]);
  const { resources } = await plan(() => runLab(values, stack), { stack });
  const made = resources.filter(({ type }) => !type.startsWith("eks-gpu-lab:"));
  return JSON.stringify(made.map(({ type, name, inputs, dependencies }) => [type, name, inputs, dependencies]));
}

const effects = changesByKey();
const hasEffect = ([key]: readonly [string, ...unknown[]]) => !/refused|no change/.test(effects.get(key)?.effect ?? "");

/** What differs without a key; an error is a difference, too. */
const without = (stack: string, config: readonly string[]) => created(stack, config).catch(String);

const previews = Object.entries<Readonly<Record<string, Shown>>>(sharedPreviews).filter(
  ([name]) => name !== "unchanged",
);
describe.each(previews)("%s", async (preview, shown) => {
  const rows = Object.entries(shown);
  const base = [...baseConfig, ...contextOf[preview as keyof typeof contextOf]];
  const all = await created("gpu-lab", [...base, ...rows.flatMap(([, { config }]) => config)]);
  test.for(rows)("%s changes the plan", async ([key]) => {
    const others = rows.filter(([other]) => other !== key).flatMap(([, { config }]) => config);
    expect(await without("gpu-lab", [...base, ...others])).not.toBe(all);
  });
});

test.for(Object.entries(changesAlone).filter(hasEffect))("%s changes the plan", async ([, { stack, from, config }]) => {
  const base = [...(stack === "gpu-lab" ? baseConfig : []), ...from];
  expect(await created(stack, [...base, ...config])).not.toBe(await created(stack, base));
});
