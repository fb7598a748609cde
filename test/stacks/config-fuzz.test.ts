import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GpuEnvironmentArgs, Problem } from "../../components";
import { gpuEnvironmentProblems, InputError, preflightRequest } from "../../components";
import { show } from "../../components/core/problems";
import { keysOf } from "../../components/core/schema";
import { configSection, configType, innerKeys } from "../../stacks/run/config-keys";
import { readLabConfig } from "../../stacks/run/lab-config";

const keys = keysOf(configSection);
const inner = keys.flatMap((key) => innerKeys(key).map((name) => [key, name] as const));

/** A sound configuration, which a garbage value is laid over. */
const sound = {
  "eks-gpu-lab:publicAccessCidrs": '["198.51.100.7/32"]',
  "eks-gpu-lab:admins": "[]",
};
const required = { publicAccessCidrs: ["198.51.100.7/32"], admins: [] };

/** What a configuration file can hold by mistake, as JSON text. */
const garbage = [
  ...["null", "0", "-1", "1.5", "1e400", "true", "false", '""', '" "', '"NaN"', '"0"', '"latest"', '"\\u0000"'],
  ...["[]", "[null]", "[1]", '[""]', "[[]]", "[{}]", "{}", '{"":1}', '{"a":null}', '{"a":{"b":[1,{"c":null}]}}'],
  ...['{"__proto__":{"x":1}}', '{"constructor":1}', '{"toString":1}', '{"valueOf":null,"toString":null}'],
  ...['[{"toString":1}]', '{"length":1}', '"__proto__"', '"constructor"', '"toString"', '["__proto__"]'],
  ...['{"hasOwnProperty":true}', '{"then":1}', `"${"x".repeat(20_000)}"`, `{"${"k".repeat(20_000)}":1}`],
  `${"[".repeat(200)}${"]".repeat(200)}`,
];

/** Texts that are no JSON, as `pulumi config set` stores them. */
const texts = [
  "",
  " ",
  "NaN",
  "undefined",
  "{",
  "[1,",
  "two",
  "__proto__",
  "constructor",
  "'",
  "\n",
  "x".repeat(20_000),
];

/** What a program can hold by mistake besides. */
const programGarbage: readonly unknown[] = [
  ...garbage.filter((text) => text !== "1e400").map((text): unknown => JSON.parse(text)),
  ...[undefined, Number.NaN, Infinity, -0, 10n, Symbol("s"), () => 1, class {}, new Date(0), new Map(), /x/],
  ...[
    Object.create(null) as object,
    pulumi.output("x"),
    pulumi.output({ a: 1 }),
    Promise.resolve("x"),
    pulumi.secret("s"),
  ],
  ...[[pulumi.output("x")], { a: pulumi.output("x") }, { a: Symbol("s") }, [Symbol("s")], [() => 1], cycle()],
];

function cycle(): object {
  const self: Record<string, unknown> = {};
  self["self"] = self;
  return self;
}

/** Every problem says what, where, why and what to do; and nothing of JavaScript's own shows. */
function expectWellFormed(problems: readonly Problem[]): void {
  for (const problem of problems) {
    for (const text of [problem.path, problem.why, problem.fix]) {
      expect(text.trim()).not.toBe("");
      expect(text).not.toMatch(/\[object |\bundefined\b/);
    }
    expect(show(problem.got)).not.toContain("[object ");
  }
  const reported = problems.map(({ path, why }) => `${path}: ${why}`);
  expect(reported).toEqual([...new Set(reported)]);
  if (problems.length > 0) expect(new InputError("stack x", problems).message).not.toContain("[object ");
}

const read = (key: string, text: string) => {
  const { problems } = readLabConfig({ ...sound, [`eks-gpu-lab:${key}`]: text }, "gpu-lab");
  expectWellFormed(problems);
  return problems;
};

describe("a stack's configuration", () => {
  test.for(keys)("%s takes no garbage", (key) => {
    for (const text of [...garbage, ...texts]) read(key, text);
  });

  test.for(inner)("%s.%s takes no garbage", ([key, name]) => {
    for (const value of garbage) read(key, `{"${name}":${value}}`);
  });

  test.for(keys.filter((key) => configType(key) !== "string"))("%s refuses every other type", (key) => {
    const type = configType(key);
    const others = {
      integer: ["two", "[]", "{}"],
      boolean: ["1", "yes", "[]"],
      array: ["1", "{}"],
      object: ["1", "[]"],
    };
    if (type === "string") return;
    for (const text of others[type]) {
      expect(read(key, text).map(({ path }) => path)).toContain(key);
    }
  });

  /** Keys of which any value below may be right: names of labels, tags and charts' values. */
  const open = ["gpuOperator.values", "systemNodes.labels", "gpuNodes.labels"];
  test.for(inner)("%s.%s refuses a value of no type it takes", ([key, name]) => {
    const path = `${key}.${name}`;
    for (const wrong of ["null", "[[[]]]", '{"constructor":1}', "-1.5"]) {
      if (open.includes(path) && wrong.startsWith("{")) continue;
      const paths = read(key, `{"${name}":${wrong}}`).map((problem) => problem.path);
      expect(paths.filter((found) => found.startsWith(path))).not.toEqual([]);
    }
  });

  test("unknown keys are reported once, regardless of their name", () => {
    for (const key of [
      "__proto__",
      "constructor",
      "toString",
      "",
      ".",
      "gpuNodes.",
      "gpuNodes.x",
      "a:b",
      "network[0]",
    ]) {
      expect(read(key, "1").map(({ code }) => code)).toEqual(["unknown-key"]);
    }
  });

  test("each mistake is reported once", () => {
    for (const [key, text, path] of [
      ["gpuNodes", '{"colour":null}', "gpuNodes.colour"],
      ["gpuNodes", '{"labels":{"team":null}}', "gpuNodes.labels.team"],
      ["gpuNodes", '{"labels":{"example.com/team":null}}', 'gpuNodes.labels["example.com/team"]'],
      ["gpuNodes", '{"taints":[{"key":"team","effect":null}]}', "gpuNodes.taints[0].effect"],
      ["tags", '{"team":null}', "tags.team"],
      ["network", '{"existing":null}', "network.existing"],
      ["gpuOperator", "yes", "gpuOperator"],
    ] as const) {
      expect(read(key, text).map((problem) => problem.path)).toEqual([path]);
    }
  });
});

describe("the arguments of a GpuEnvironment", () => {
  const check = (args: unknown) => {
    const problems = gpuEnvironmentProblems(args as GpuEnvironmentArgs);
    expectWellFormed(problems);
    expect(() => preflightRequest(args as GpuEnvironmentArgs)).not.toThrow();
    return problems;
  };
  const top = [...keys, "credentials", "__proto__", "constructor"];
  const environmentKeys = top.filter((key) => !["lab", "fault", "expires", "environment"].includes(key));

  test("garbage instead of all of them", () => {
    for (const value of programGarbage) expect(check(value)).not.toEqual([]);
  });

  test.for(environmentKeys)("garbage as %s", (key) => {
    for (const value of programGarbage) check({ ...required, [key]: value });
  });

  test.for(inner)("garbage as %s.%s", ([key, name]) => {
    for (const value of programGarbage) check({ ...required, [key]: { [name]: value } });
  });

  const deeper = [
    ...["vpcId", "cidrBlock", "zones", "publicSubnetIds", "privateSubnetIds", "ready"].map((k) => [
      "network",
      "existing",
      k,
    ]),
    ...["maxParallel", "maxUnhealthy", "overrides"].map((k) => ["gpuHealth", "repair", k]),
    ...["id", "resourceGroupArn"].map((k) => ["gpuNodes", "capacityReservation", k]),
    ...["devicePlugin", "dcgmExporter", "driver", "extraObjects"].map((k) => ["gpuOperator", "values", k]),
    ["gpuOperator", "timeSlicing", "replicas"],
    ["gpuOperator", "mps", "replicas"],
    ["gpuNodes", "labels", "team"],
    ["controllers", "externalDns", "hostedZoneIds"],
    ["controllers", "clusterAutoscaler", "install"],
  ] as [string, string, string][];
  test.for(deeper)("garbage as %s.%s.%s", ([section, key, name]) => {
    for (const value of programGarbage) check({ ...required, [section]: { [key]: { [name]: value } } });
  });

  test.for(["key", "value", "effect", "effct"])("garbage as the %s of a taint", (name) => {
    const taint = { key: "team", effect: "NO_SCHEDULE" };
    for (const value of programGarbage) check({ ...required, gpuNodes: { taints: [{ ...taint, [name]: value }] } });
  });

  test.for(["condition", "reason", "waitMinutes", "action", "wait"])(
    "garbage as the %s of a repair override",
    (name) => {
      const override = { condition: "KernelReady", reason: "SoftLockup", waitMinutes: 10, action: "Reboot" };
      for (const value of programGarbage) {
        check({ ...required, gpuHealth: { repair: { overrides: [{ ...override, [name]: value }] } } });
      }
    },
  );

  test("garbage in several places at once", () => {
    const value = fc.constantFrom(...programGarbage);
    const section = fc.dictionary(fc.constantFrom(...inner.map(([, name]) => name)), value, { maxKeys: 4 });
    const args = fc.dictionary(fc.constantFrom(...environmentKeys), fc.oneof(value, section), { maxKeys: 5 });
    fc.assert(
      fc.property(args, (given) => void check({ ...required, ...given })),
      { seed: 7, numRuns: 300 },
    );
  });
});
