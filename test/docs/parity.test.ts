import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { openProject, recordStack } from "../../planner/plan-stack";
import type { RecordedResource, Recording } from "../../planner/record/record";
import { keysOf } from "../../components/core/schema";
import { idTag, nameTag, stackTag } from "../../components/core/stack-tags";
import { configSection, innerKeys } from "../../stacks/run/config-keys";
import { claimsProblems, parityRowProblems, title } from "./parity/check";
import { coverageProblems } from "./parity/coverage";
import { outputProblems, variableProblems } from "./parity/interface";
import { leavesOf, withLeaf } from "./parity/leaves";
import { withPins } from "./parity/pins";
import { planKey, planOf } from "./parity/plans";
import { readParity, type BeyondRow, type Parity, type ParityRow } from "./parity/rows";
import { parityTables, withTables } from "./parity/tables";
import { ownProject } from "../support/own-project";

const page = "docs/parity.md";
/** The rows with the names of the pinned versions, as the page has them, and with the versions. */
const named = readParity();
const parity = JSON.parse(withPins(JSON.stringify(named))) as Parity;
const compared = [...parity.network, ...parity.cluster, ...parity.root, ...parity.helm];
const additional = [...parity.beyond, ...parity.onDemand];
const knownKeys = [
  "aws:region",
  ...keysOf(configSection).flatMap((key) => [key, ...innerKeys(key).map((name) => `${key}.${name}`)]),
];
const plans = new Map<string, Recording>();

/** The page states the tags of the lease, of the stack and of the environment once, for all resources. */
function withoutSharedTags(recording: Recording): Recording {
  const resources = recording.resources.map((resource) => {
    const { tags, ...inputs } = resource.inputs;
    if (typeof tags !== "object" || tags === null) return resource;
    const {
      lab,
      owner,
      "expires-at": end,
      [idTag]: id,
      [stackTag]: stack,
      [nameTag]: name,
      ...rest
    } = tags as Record<string, unknown>;
    return { ...resource, inputs: { ...inputs, tags: rest } };
  });
  return { ...recording, resources };
}

beforeAll(async () => {
  const project = await openProject(ownProject);
  const rows = [...compared, ...additional, ...parity.variables];
  for (const config of [[], ...rows.map((row) => row.config ?? [])]) {
    if (plans.has(planKey(config))) continue;
    plans.set(planKey(config), withoutSharedTags((await recordStack(project, "gpu-lab", config)).recording));
  }
}, 60_000);

test.for(compared.map((row) => [title(row), row] as const))("%s: the plan has it", ([, row]) => {
  expect(parityRowProblems(row, plans)).toEqual([]);
});

test.for(additional.map((row) => [row.what, row] as const))("%s: the plan has it", ([, row]) => {
  expect(claimsProblems(row, plans)).toEqual([]);
});

test("the original's resources count 84, and each resource of the plan belongs to one row", () => {
  expect(coverageProblems(parity, plans)).toEqual([]);
});

test("the outputs are those of the stack, the original's ten among them", () => {
  expect(parity.outputs.filter(({ terraform }) => terraform !== undefined)).toHaveLength(10);
  expect(outputProblems(parity.outputs, planOf(plans))).toEqual([]);
});

test.for(parity.variables)("$terraform: the key and its default are there", (row) => {
  expect(variableProblems(row, knownKeys, plans)).toEqual([]);
});

test("no resource has the original's own tags", () => {
  const tags = [...plans.values()].flatMap(({ resources }) =>
    resources.flatMap(({ inputs }) => Object.keys(inputs["tags"] ?? {})),
  );
  expect(tags.filter((tag) => ["Environment", "Terraform", "Week"].includes(tag))).toEqual([]);
});

test("the tables of the page are these rows", async () => {
  await expect(withTables(readFileSync(page, "utf8"), parityTables(named))).toMatchFileSnapshot(`../../${page}`);
});

test("the page names the providers that the plan was read with", () => {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Record<
    string,
    Record<string, string>
  >;
  const [aws, eks] = [devDependencies?.["@pulumi/aws"], devDependencies?.["@pulumi/eks"]];
  const text = readFileSync(page, "utf8");
  expect(text).toContain(`@pulumi/aws ${minor(aws)} and @pulumi/eks ${minor(eks)}`);
});

describe("nothing of it passes by itself", () => {
  test.for(compared.map((row) => [title(row), row] as const))("%s: each value, if it were another", ([, row]) => {
    for (const path of leavesOf(row, ["here", "remote", "arguments", "each", "differs"])) {
      if (!isCompared(row, path)) continue;
      expect(parityRowProblems(withLeaf(row, path), plans), path.join(".")).not.toEqual([]);
    }
  });

  test.for(additional.map((row) => [row.what, row] as const))("%s: each value, if it were another", ([, row]) => {
    for (const path of leavesOf(row, ["here"])) {
      expect(claimsProblems(withLeaf(row, path), plans), path.join(".")).not.toEqual([]);
    }
  });

  test("each value of a variable, if it were another", () => {
    for (const row of parity.variables) {
      for (const path of leavesOf(row, ["at"])) {
        expect(variableProblems(withLeaf(row, path), knownKeys, plans), path.join(".")).not.toEqual([]);
      }
    }
  });

  test.for(compared.filter(({ verdict }) => verdict !== "none").map((row) => [title(row), row] as const))(
    "%s: the other verdict",
    ([, row]) => {
      const verdict = row.verdict === "same" ? "different" : "same";
      expect(parityRowProblems({ ...row, verdict, why: ["a reason"] }, plans)).not.toEqual([]);
    },
  );

  test("each row, if it were dropped or there twice", () => {
    for (const part of ["network", "cluster", "root", "helm", "beyond", "onDemand"] as const) {
      parity[part].forEach((row, index) => {
        const rows: readonly (ParityRow | BeyondRow)[] = parity[part];
        const dropped = { ...parity, [part]: rows.toSpliced(index, 1) };
        const doubled = { ...parity, [part]: [...rows, row] };
        expect(coverageProblems(dropped, plans), `${part} ${index} dropped`).not.toEqual([]);
        expect(coverageProblems(doubled, plans), `${part} ${index} doubled`).not.toEqual([]);
      });
    }
  });

  test.for(["", "gpuOperator.enabled=true"])(
    "a resource more, or one less, in the plan with '%s'",
    { timeout: 20_000 },
    (key) => {
      const plan = planOf(plans, [key]);
      const bucket = {
        ...(plan.resources[1] as RecordedResource),
        urn: "new",
        type: "aws:s3/bucket:Bucket",
        name: "new",
      };
      const more = { ...plan, resources: [...plan.resources, bucket] };
      expect(coverageProblems(parity, new Map(plans).set(key, more)).join()).toContain(
        "aws:s3/bucket:Bucket new belongs",
      );
      for (const resource of plan.resources) {
        const less = new Map(plans).set(key, {
          ...plan,
          resources: plan.resources.filter((other) => other !== resource),
        });
        const claimants = [...compared, ...additional].filter(({ here = [] }) =>
          here.some(({ type, resources }) => type === resource.type && resource.name in resources),
        );
        const problems = [...claimants.flatMap((row) => claimsProblems(row, less)), ...coverageProblems(parity, less)];
        expect(problems.join(), resource.name).toContain(resource.name);
      }
    },
  );

  test("an output without a row, a row without an output", () => {
    const plan = planOf(plans);
    expect(outputProblems(parity.outputs.slice(1), plan)).toEqual(["no row tells of the output configureKubectl"]);
    const { clusterName: _, ...outputs } = plan.outputs;
    expect(outputProblems(parity.outputs, { ...plan, outputs })).toContain("there is no output clusterName");
  });

  test("a variable with another key or default", () => {
    const row = parity.variables.find(({ terraform }) => terraform === "gpu_max_size");
    if (!row) throw new Error("there is no such row");
    expect(variableProblems({ ...row, key: "gpuNodes.max" }, knownKeys, plans)).toEqual([
      "there is no key gpuNodes.max",
    ]);
    expect(variableProblems({ ...row, default: 3 }, knownKeys, plans)).toEqual(["its default here is [2]"]);
  });
});

function minor(version: string | undefined): string {
  return version?.split(".").slice(0, 2).join(".") ?? "no version";
}

/** Nothing in a plan answers to the names of a remote component's children, to prose, and to what differs anyway. */
function isCompared({ here, verdict, differs = [] }: ParityRow, path: readonly (string | number)[]): boolean {
  const [part, argument, key] = path;
  if (part === "here" || part === "differs") return true;
  if (part === "remote") return key !== "name" && key !== "type";
  return here !== undefined && verdict !== "none" && !differs.includes(String(argument)) && !path.includes("says");
}
