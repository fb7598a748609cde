import { beforeAll, describe, expect, test } from "vitest";
import { inDays } from "../../components/core/faults";
import { kubernetesVersion, pinnedAddons } from "../../components/core/versions";
import type { ChangeRow, Effect, Proof } from "../../scripts/changes/change-row";
import { changeTable } from "../../scripts/changes/change-table";
import { createCloud } from "../../simulation/create-cloud";
import { changesOf, type Outcome, type Step } from "../../simulation/pulumi/outcome";
import {
  describeEngine,
  errorsOf,
  failing,
  ownAddress,
  sharedWorkspace,
  shortType,
  succeeding,
} from "./support/engine";
import { scaleGpuNodes } from "./support/gpu-nodes";

const base = [
  ownAddress,
  "gpuOperator.enabled=true",
  "monitoring.enabled=true",
  "controllers.loadBalancerController.install=true",
  "tags.team=a",
];

/** What a preview needs in addition to the changes of its rows. */
const context: Readonly<Record<Proof["preview"], readonly string[]>> = {
  nodes: ["gpuNodes.desiredSize=1"],
  rolling: [],
  // With EFA, an older chart is rejected.
  replaced: ["gpuOperator.chartVersion=v26.3.3"],
  software: [],
  removed: [],
  refused: [],
  kubernetes: [
    "gpuOperator.chartVersion=v26.3.3",
    "systemNodes.releaseVersion=1.36.2-20261101",
    "gpuNodes.releaseVersion=1.36.2-20261101",
    ...Object.entries(pinnedAddons[kubernetesVersion] ?? {}).map(([name, version]) => `addons.${name}=${version}`),
    "addons.kube-proxy=v1.36.1-eksbuild.2",
  ],
};

/** Changes that follow from others: a new group has a new Auto Scaling group, and the lease names the group. */
const consequences = [
  /^NodeGroup \S+ launchTemplate\.version/,
  /^Tag \S+ autoscalingGroupName/,
  /^RolePolicy gpu-lab-lease-policy policy/,
  /^Schedule \S+ target\.input/,
  /^\S+ \S+ tags(All)?\.(team|lab|owner|expires-at)/,
  /^\S+ \S+ tagSpecifications/,
];

type Row = readonly [string, ChangeRow & { readonly proof: Proof }];

function rowsOf(preview: Proof["preview"]): Row[] {
  return Object.entries(changeTable).filter((entry): entry is [string, ChangeRow & { proof: Proof }] => {
    return entry[1].proof?.preview === preview;
  });
}

/** `DAY` stands for a day of the next week. */
function configOf(rows: readonly Row[]): string[] {
  return rows.flatMap(([, { proof }]) => proof.config.map((text) => text.replace("DAY", inDays(7, new Date()))));
}

interface Line {
  readonly text: string;
  readonly type: string;
  readonly kind: string;
}

/** A line for each input that changes, and one for each resource that is created or deleted. */
function linesOf({ type, name, op, diff }: Step): Line[] {
  const what = `${shortType(type)} ${name}`;
  if (op === "create" || op === "delete") return [{ text: what, type: shortType(type), kind: op }];
  return Object.entries(diff).map(([path, kind]) => ({ text: `${what} ${path}`, type: shortType(type), kind }));
}

function observed(outcome: Outcome): Line[] {
  const steps = changesOf(outcome).filter(
    ({ op, custom }) => custom && !op.endsWith("-replaced") && !op.startsWith("create-"),
  );
  return steps.flatMap(linesOf);
}

/** The effect that the engine shows. */
function effectOf(lines: readonly Line[]): Effect {
  if (lines.some(({ kind }) => kind.includes("replace"))) return "replaced";
  const rolls = /^(LaunchTemplate \S+ |NodeGroup \S+ (version|releaseVersion))/;
  return lines.some(({ text }) => rolls.test(text)) ? "rolling" : "in place";
}

describeEngine("what happens when a configuration key changes", () => {
  // Enough for every instance type of the table.
  const shared = sharedWorkspace({ config: base, cloud: () => createCloud({ account: { gpuVcpuQuota: 128 } }) });
  beforeAll(async () => void (await succeeding(shared.current.up())));

  describe.each(["nodes", "rolling", "replaced", "software", "removed", "kubernetes"] as const)("%s", (preview) => {
    const rows = rowsOf(preview);
    let lines: Line[] = [];

    beforeAll(async () => {
      scaleGpuNodes(shared.current.cloud, preview === "nodes" ? 1 : 0);
      shared.current.configure([...base, ...context[preview], ...configOf(rows)]);
      lines = observed(await succeeding(shared.current.preview()));
    });

    test.for(rows)("%s", ([, { effect, proof }]) => {
      const own = (proof.lines ?? []).map((start) => lines.filter(({ text }) => text.startsWith(start)));
      expect(own.map((found, index) => `${proof.lines?.[index]}: ${found.length > 0}`)).toEqual(
        proof.lines?.map((start) => `${start}: true`),
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
