import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { free, type FoundObject } from "../../../commands/leftovers/found";
import { kinds } from "../../../commands/leftovers/kinds/kinds";
import {
  decide,
  ownerTexts,
  usersOf,
  type Case,
  type Evidence,
  type Running,
  type Use,
} from "../../../commands/leftovers/ownership";

const evidences = Object.keys(ownerTexts) as Evidence[];
const states: readonly Running[] = ["nothing", "rival", "busy", "unread"];
const uses: readonly Use[] = ["none", "used", "unread"];
const cases: readonly Case[] = evidences.flatMap((evidence) =>
  states.flatMap((running) => uses.map((use) => ({ evidence, running, use }))),
);

describe("the decision table", () => {
  const names = { cluster: "the cluster myeks", user: "instance i-1", id: "r/1/u", region: "us-west-2" };

  test.for(cases)("$evidence, $running runs, use $use", ({ evidence, running, use }) => {
    const { decision, why } = decide({ evidence, running, use });
    const isOwn = evidence === "id" || evidence === "aws" || evidence === "part";
    expect(decision === "remove").toBe(isOwn && running === "nothing" && use === "none");
    // Commands are printed only while nothing is known to need the object.
    if (decision === "keep") expect([running, use]).toEqual(["nothing", "none"]);
    expect(why(names).trim().length).toBeGreaterThan(15);
    if (decision === "hold" && use === "used" && running === "nothing" && evidence !== "other")
      expect(why(names)).toContain("instance i-1");
  });
});

/** Kinds of AWS whose objects people name: two kinds can have the same name. */
const named = ["cluster", "node group", "add-on", "role", "instance profile", "log group", "budget", "schedule group"];

interface Shape {
  readonly objects: readonly { readonly kind: string; readonly id: string; readonly isOwn: boolean }[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly by: "uses" | "usedBy" | "within" }[];
  /** Objects that something uses which was not found. */
  readonly strangers: readonly number[];
}

const shape: fc.Arbitrary<Shape> = fc
  .uniqueArray(
    fc.record({
      kind: fc.constantFrom(...kinds.map(({ kind }) => kind)),
      // Few names, so that kinds share them; also names that look like IDs of other objects.
      name: fc.constantFrom("lab", "lab-2", "vpc-1", "subnet-1", "c:lab"),
      isOwn: fc.boolean(),
    }),
    { minLength: 1, maxLength: 14, selector: ({ kind, name }) => `${kind} ${name}` },
  )
  .map((all) =>
    all.map(({ kind, name, isOwn }) => ({
      ...{ kind, isOwn },
      // AWS gives the other kinds IDs that are unique.
      id: named.includes(kind) || /alarm|queue|classic/.test(kind) ? name : `${kind.replaceAll(" ", "")}:${name}`,
    })),
  )
  .chain((objects) => {
    const at = fc.nat({ max: objects.length - 1 });
    return fc.record({
      objects: fc.constant(objects),
      edges: fc.array(fc.record({ from: at, to: at, by: fc.constantFrom("uses" as const, "usedBy" as const) }), {
        maxLength: 20,
      }),
      strangers: fc.array(at, { maxLength: 2 }),
    });
  });

const strangers = ["c:lab", "instance i-0"];

/** The objects as the kinds read them: they call others by `kind ID`. */
function objectsOf({ objects, edges, strangers: used }: Shape): FoundObject[] {
  const nameAt = (at: number) => `${objects[at]?.kind} ${objects[at]?.id}`;
  return objects.map(({ kind, id }, at) => ({
    ...{ kind, id, tags: {}, rate: free, steps: [] },
    // What a state calls it is no name by which AWS refers to it.
    pulumiId: `c:${id}`,
    uses: edges.flatMap(({ from, to, by }) => (by === "uses" && from === at ? [nameAt(to)] : [])),
    usedBy: [
      ...edges.flatMap(({ from, to, by }) => (by === "usedBy" && to === at ? [nameAt(from)] : [])),
      ...used.flatMap((one, index) => (one === at ? [strangers[index] ?? ""] : [])),
    ],
  }));
}

/** What the objects that stay, and strangers, reach: by repeated search, without the names. */
function reachedIn({ objects, edges, strangers: used }: Shape): Set<number> {
  const reached = new Set(used);
  const isUser = (at: number) => objects[at]?.isOwn === false || reached.has(at);
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const { from, to } of edges) if (from !== to && isUser(from)) reached.add(to);
  }
  return reached;
}

describe("what objects that stay need", () => {
  test("is all that they reach, through any number of others, in circles, and with names that kinds share", () => {
    fc.assert(
      fc.property(shape, (one) => {
        const found = objectsOf(one);
        const isOwn = (each: FoundObject) => one.objects[found.indexOf(each)]?.isOwn === true;
        const users = usersOf(found, (each) => !isOwn(each));
        const own = found.flatMap((each, at) => (isOwn(each) ? [at] : []));
        const reached = reachedIn(one);
        expect(own.filter((at) => users.has(found[at] as FoundObject))).toEqual(own.filter((at) => reached.has(at)));
      }),
      { numRuns: 5000 },
    );
  });

  test("includes the container of a part that stays, and the parts of a container that stays", () => {
    const object = (kind: string, id: string, more: object = {}): FoundObject => ({
      ...{ kind, id, tags: {}, rate: free, steps: [], ...more },
    });
    const group = object("node group", "gpu", { aliases: ["Auto Scaling group eks-gpu"] });
    const node = object("instance", "i-1", { within: "Auto Scaling group eks-gpu" });
    const volume = object("volume", "vol-1", { within: "i-1" });
    for (const stays of [group, node, volume]) {
      const users = usersOf([group, node, volume], (one) => one === stays);
      expect(users.size).toBe(2);
    }
  });

  test("is kept although a schedule or a group of somebody else has the ID of it as its name", () => {
    const object = (kind: string, id: string, more: object = {}): FoundObject => ({
      ...{ kind, id, tags: {}, rate: free, steps: [], ...more },
    });
    const vpc = object("VPC", "vpc-1");
    const subnet = object("subnet", "subnet-1", { vpc: "vpc-1" });
    const others = ["schedule", "Auto Scaling group"].map((kind) => object(kind, "vpc-1"));
    for (const found of [
      [vpc, subnet, ...others],
      [...others, subnet, vpc],
    ])
      expect([...usersOf(found, (one) => one !== vpc).keys()]).toEqual([vpc]);
  });

  test("a stranger that uses an object which stays is named as its user", () => {
    const key: FoundObject = {
      kind: "KMS key",
      id: "k",
      tags: {},
      rate: free,
      steps: [],
      usedBy: ["alias alias/prod-db"],
    };
    expect(usersOf([key], () => true).get(key)).toBe("alias alias/prod-db");
  });
});
