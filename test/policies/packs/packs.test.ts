import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EnforcementLevel, PolicyType, type AnalyzerInfo } from "@pulumi/pulumi/proto/analyzer_pb";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { gpuOperatorChart, kubernetesVersion } from "../../../components/core/versions";
import { policyConfigProblems } from "../../../policies/engine/policy-config";
import { packs } from "../../../policies/packs";
import { servePack } from "../support/served-pack";

const json = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
const { version } = json("package.json");

test("every folder of packs is a pack", () => {
  const folders = readdirSync("policies/packs", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(packs).sort());
});

/** The engine gets the type of a policy that has both functions by the first, and every rule on the stack has both. */
const scopeOf = new Map<string, string>(packs.lab.rules.map(({ rule }) => [rule.id, rule.scope]));

/** What the engine learns about a pack at its start. */
function packInfo(info: AnalyzerInfo) {
  const policies = info.getPoliciesList().map((policy) => ({
    name: policy.getName(),
    description: policy.getDescription(),
    level: policy.getEnforcementlevel() === EnforcementLevel.MANDATORY ? "mandatory" : "advisory",
    severity: policy.getSeverity(),
    judges: scopeOf.get(policy.getName()),
    parameters: (policy.getConfigschema()?.getProperties()?.toJavaScript() ?? {}) as Record<string, Schema>,
  }));
  return { name: info.getName(), version: info.getVersion(), configurable: info.getSupportsconfig(), policies };
}

type Schema = Readonly<Record<string, unknown>>;
type PackInfo = ReturnType<typeof packInfo>;

/** The parameters of a rule without `exempt`, which every rule has. */
function own(parameters: Readonly<Record<string, Schema>>) {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== "exempt"));
}

/** Defaults that name the pinned chart or Kubernetes version change with it. */
function withoutPins(parameters: Readonly<Record<string, Schema>>) {
  const isPinned = (schema: Schema) =>
    [schema["default"]].flat().some((value) => value === gpuOperatorChart.version || value === kubernetesVersion);
  return Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => [
      name,
      isPinned(schema) ? { ...schema, default: "the pinned version, and others" } : schema,
    ]),
  );
}

/** What a pack changes in another, a line for each level and default. */
function differences({ policies }: PackInfo, base: PackInfo): string[] {
  return policies.flatMap((policy, index) => {
    const other = base.policies[index];
    const { name, level, parameters } = policy;
    expect({ ...policy, level, parameters: Object.keys(parameters) }).toEqual({
      ...other,
      level,
      parameters: Object.keys(other?.parameters ?? {}),
    });
    return [
      ...(level === other?.level ? [] : [`${name} ${level}`]),
      ...Object.entries(parameters)
        .filter(([key, schema]) => JSON.stringify(schema) !== JSON.stringify(other?.parameters[key]))
        .map(([key, schema]) => {
          expect({ ...schema, default: 0 }).toEqual({ ...other?.parameters[key], default: 0 });
          return `${name}.${key} ${JSON.stringify(schema["default"])}`;
        }),
    ];
  });
}

const started = new Map<string, PackInfo>();

describe.each(Object.entries(packs))("the pack %s", (name, pack) => {
  const folder = join("policies/packs", name);

  test("has the version of the package, and a bundle as its entry", () => {
    const { main } = json(join(folder, "package.json"));
    expect(json(join(folder, "package.json"))).toMatchObject({ version });
    expect(pack.version).toBe(version);
    expect(existsSync(join(folder, String(main)))).toBe(true);
  });

  test("is run by the engine with Node.js", () => {
    expect(load(readFileSync(join(folder, "PulumiPolicy.yaml"), "utf8"))).toMatchObject({ runtime: "nodejs" });
  });

  test("has an example configuration that names every rule", () => {
    const example = json(join(folder, "policy-config.example.json"));
    expect(policyConfigProblems(pack, example)).toEqual([]);
    expect(Object.keys(example).sort()).toEqual(pack.rules.map(({ rule }) => rule.id).sort());
  });

  test("started as the engine does, prints a port and reports names, levels and schemas", async () => {
    const served = await servePack(name, { stack: "dev" });
    const answer = await served.info();
    const info = packInfo(answer);
    await served.stop();
    const types = answer.getPoliciesList().map((policy) => policy.getPolicyType());
    expect(new Set(types)).toEqual(new Set([PolicyType.POLICY_TYPE_RESOURCE]));
    expect(new Set(info.policies.map(({ judges }) => judges))).toEqual(new Set(["resource", "stack"]));
    expect(served.output).toEqual([expect.stringMatching(/^\d+$/)]);
    expect(info).toMatchObject({ name: pack.name, version, configurable: true });
    expect(info.policies.map(({ name, level }) => [name, level])).toEqual(
      pack.rules.map(({ rule, level }) => [rule.id, level]),
    );
    const exempt = packs.lab.rules[0]?.rule.parameters["exempt"]?.schema;
    expect(info.policies.map(({ parameters }) => parameters["exempt"])).toEqual(info.policies.map(() => exempt));
    started.set(name, info);
  });
});

test("the engine learns this about the pack for labs", async () => {
  const lab = started.get("lab");
  const policies = lab?.policies.map((policy) => ({ ...policy, parameters: withoutPins(own(policy.parameters)) }));
  await expect(`${JSON.stringify({ ...lab, policies }, null, 2)}\n`).toMatchFileSnapshot("golden/lab.json");
});

test.each(["shared", "audit"] as const)("the pack %s differs from the pack for labs only in this", (name) => {
  const [info, lab] = [started.get(name), started.get("lab")];
  expect(info && lab && differences(info, lab)).toMatchSnapshot();
});

test("what is mandatory in a lab is mandatory where people share, and nothing is in an audit", () => {
  const mandatory = (name: keyof typeof packs) =>
    packs[name].rules.filter(({ level }) => level === "mandatory").map(({ rule }) => rule.id);
  expect(mandatory("shared")).toEqual(expect.arrayContaining(mandatory("lab")));
  expect(mandatory("shared").length).toBeGreaterThan(mandatory("lab").length);
  expect(mandatory("audit")).toEqual([]);
  const ids = (name: keyof typeof packs) => packs[name].rules.map(({ rule }) => rule.id).sort();
  expect([ids("shared"), ids("audit")]).toEqual([ids("lab"), ids("lab")]);
});
