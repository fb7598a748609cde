import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { differenceOf, type PlanDifference } from "../../../planner/diff/diff";
import { comparableRecording } from "../../../planner/diff/comparable-plan";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { recordingOf, type ResourceSpec } from "../recordings";

const compared = (specs: ResourceSpec[], stack = "a") => comparableRecording(recordingOf(specs, { stack }));

function short({ added, removed, changed, unchanged }: PlanDifference) {
  return {
    added: added.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    changed: changed.map(({ from, to, properties }) => [
      from.name === to.name ? to.name : `${from.name} -> ${to.name}`,
      ...properties.map((one) => `${one.path}: ${JSON.stringify(one.from)} -> ${JSON.stringify(one.to)}`),
    ]),
    unchanged,
  };
}

const key = (name: string, inputs: Record<string, unknown> = {}, more: Partial<ResourceSpec> = {}): ResourceSpec => ({
  type: "aws:kms/key:Key",
  name,
  inputs,
  ...more,
});
const root = (name: string): ResourceSpec => ({ type: "lab:index:Environment", name, component: true });

describe("two stacks of one program", () => {
  test("the blocked lab differs from the open one in two rules and the words that ask for them", async () => {
    const open = comparableRecording(await plan(() => labProgram(), { stack: "gpu-lab" }));
    const blocked = comparableRecording(await plan(() => labProgram({ nccl: "blocked" }), { stack: "nccl-block" }));
    expect(short(differenceOf(open, blocked))).toEqual({
      added: [],
      removed: ["lab-node-to-node", "lab-vpc-wide"],
      changed: [
        ["lab", 'nccl: "open" -> "blocked"'],
        ["lab", 'nccl: "open" -> "blocked"'],
      ],
      unchanged: open.resources.length - 4,
    });
  });

  test("another name of the outermost component hides no resource", async () => {
    const [one, other] = [
      await plan(() => labProgram({ root: "gpu-lab" })),
      await plan(() => labProgram({ root: "lab-two" })),
    ];
    const difference = differenceOf(comparableRecording(one), comparableRecording(other));
    expect(short(difference)).toEqual({ added: [], removed: [], changed: [], unchanged: one.resources.length });
  });
});

test("stack and project do not count, neither in names nor in values nor in providers", () => {
  const urn = (stack: string) => `urn:pulumi:${stack}::lab::aws:kms/key:Key::key`;
  const specs = (stack: string) => [
    key("key"),
    key("user", { of: urn(stack) }, { options: { deletedWith: urn(stack) }, provider: `${urn(stack)}::id-${stack}` }),
  ];
  const difference = differenceOf(compared(specs("a"), "a"), compared(specs("b"), "b"));
  expect(short(difference)).toMatchObject({ added: [], removed: [], changed: [] });
});

test("a provider that the engine picks is no difference from none, an explicit one is", () => {
  const provider = (name: string) => `urn:pulumi:a::lab::pulumi:providers:aws::${name}::id`;
  const of = (name?: string) => compared([key("k", {}, name === undefined ? {} : { provider: provider(name) })]);
  expect(short(differenceOf(of("default_7_48_0"), of())).changed).toEqual([]);
  expect(short(differenceOf(of("seoul"), of())).changed).toEqual([
    ["k", '(option) provider: "pulumi:providers:aws::seoul" -> undefined'],
  ]);
});

test("options are compared", () => {
  const before = compared([key("k", { a: 1 }, { options: { protect: true, ignoreChanges: ["tags"] } })]);
  const after = compared([key("k", { a: 1 }, { options: { customTimeouts: { create: "5m" } } })]);
  expect(short(differenceOf(before, after)).changed).toEqual([
    [
      "k",
      '(option) customTimeouts: undefined -> {"create":300}',
      '(option) ignoreChanges: ["tags"] -> undefined',
      "(option) protect: true -> undefined",
    ],
  ]);
});

test("secrets are never shown, and their values are not compared", () => {
  const of = (value: string, secret: boolean) =>
    compared([key("k", { password: value }, { secretPaths: secret ? ["password"] : [] })]);
  expect(short(differenceOf(of("hunter2", true), of("hunter3", true))).changed).toEqual([]);
  expect(short(differenceOf(of("plain", false), of("hunter3", true))).changed).toEqual([
    ["k", 'password: "plain" -> "[secret]"'],
  ]);
});

test("a name that could be two resources is not guessed at", () => {
  const before = [root("one"), key("one-k", {}, { parent: "one" })];
  const after = [
    root("two"),
    key("two-k", {}, { parent: "two" }),
    root("three"),
    key("three-k", {}, { parent: "three" }),
  ];
  expect(short(differenceOf(compared(before), compared(after)))).toMatchObject({
    removed: ["one", "one-k"],
    added: ["three", "two", "three-k", "two-k"],
  });
});

test("changes are listed in the same order from either side, also where names differ", () => {
  const one = compared([root("net"), key("net-a", {}, { parent: "net" }), key("lab-b", {}, { parent: "net" })]);
  const other = compared([
    root("lab"),
    key("lab-a", { size: 1 }, { parent: "lab" }),
    key("lab-b", { size: 2 }, { parent: "lab" }),
  ]);
  const there = differenceOf(one, other).changed.map(({ to }) => to.name);
  const back = differenceOf(other, one).changed.map(({ from }) => from.name);
  expect(there).toEqual(back);
  expect(there).toHaveLength(2);
});

test("a resource that only shares letters with the outermost component keeps its name", () => {
  const difference = differenceOf(
    compared([root("lab"), key("labour", {}, { parent: "lab" })]),
    compared([root("net"), key("netour", {}, { parent: "net" })]),
  );
  expect(short(difference)).toMatchObject({ removed: ["labour"], added: ["netour"] });
});

test("money is compared where both plans have prices", () => {
  const priced = { ...compared([]), atRest: { usdPerHour: 1, complete: true } };
  expect(differenceOf(priced, priced).atRest).toEqual({ from: priced.atRest, to: priced.atRest });
  expect(differenceOf(priced, compared([]))).not.toHaveProperty("atRest");
});

describe("for any two programs", () => {
  const names = fc.uniqueArray(fc.constantFrom("lab", "lab-a", "lab-b", "net", "net-a", "x"), { maxLength: 6 });
  const inputs = fc.dictionary(
    fc.constantFrom("size", "tags", "__proto__"),
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<unknown>,
  );
  const program = fc
    .tuple(fc.constantFrom("lab", "net"), names, fc.array(inputs, { minLength: 6, maxLength: 6 }))
    .map(([top, keys, values]) => [
      root(top),
      ...keys
        .filter((name) => name !== top)
        .map((name, at) => key(name, values[at] ?? {}, at % 2 === 0 ? { parent: top } : {})),
    ]);

  test("a plan does not differ from itself", () => {
    fc.assert(
      fc.property(program, (specs) => {
        const difference = differenceOf(compared(specs, "a"), compared(structuredClone(specs), "b"));
        expect(short(difference)).toEqual({ added: [], removed: [], changed: [], unchanged: specs.length + 1 });
      }),
    );
  });

  test("the way back is the way there reversed, and every resource is counted once", () => {
    fc.assert(
      fc.property(program, program, (one, other) => {
        const there = differenceOf(compared(one, "a"), compared(other, "b"));
        const back = differenceOf(compared(other, "b"), compared(one, "a"));
        expect(back.added).toEqual(there.removed);
        expect(back.removed).toEqual(there.added);
        expect(back.changed.map(({ from, to }) => [to.urn, from.urn])).toEqual(
          there.changed.map(({ from, to }) => [from.urn, to.urn]),
        );
        expect(
          back.changed.map(({ properties }) => properties.map(({ path, from, to }) => ({ path, from: to, to: from }))),
        ).toEqual(there.changed.map(({ properties }) => properties));
        const both = there.changed.length + there.unchanged;
        expect(both + there.removed.length).toBe(one.length + 1);
        expect(both + there.added.length).toBe(other.length + 1);
      }),
    );
  });
});

describe("the names of clusters", () => {
  const cluster = (clusterName: string, ...more: ResourceSpec[]) => [
    { type: "eks-gpu-lab:index:EksCluster", name: "cluster", component: true, inputs: { clusterName } },
    key("tagged", { tags: { [`kubernetes.io/cluster/${clusterName}`]: "owned", of: `${clusterName}x` } }),
    key("named", { namePrefix: `${clusterName}-node-` }),
    ...more,
  ];
  const between = (from: [string, string], to: [string, string], ...more: ResourceSpec[]) =>
    differenceOf(compared(cluster(from[1], ...more), from[0]), compared(cluster(to[1]), to[0]));

  test("do not count between two stacks, nor does what derives from them; parts of words do", () => {
    const difference = between(["a", "my.eks"], ["b", "lab"]);
    expect(difference.clusters).toEqual({ from: "my.eks", to: "lab" });
    expect(short(difference).changed).toEqual([["tagged", 'tags.of: "my.eksx" -> "labx"']]);
  });

  test("count within one stack, where another name is another cluster", () => {
    const difference = between(["a", "myeks"], ["a", "lab"]);
    expect(difference.clusters).toBeUndefined();
    expect(short(difference).changed.map(([name]) => name)).toEqual(["named", "tagged", "cluster"]);
  });

  test("are left alone where there are several, and where they are equal", () => {
    const second = {
      type: "eks-gpu-lab:index:EksCluster",
      name: "other",
      component: true,
      inputs: { clusterName: "c" },
    };
    expect(between(["a", "myeks"], ["b", "lab"], second).clusters).toBeUndefined();
    expect(between(["a", "lab"], ["b", "lab"]).clusters).toBeUndefined();
  });
});
