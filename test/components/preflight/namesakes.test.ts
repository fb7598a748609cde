import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixedKinds, fixedNames, isOwn, nameProblems, readNamesakes } from "../../../components/preflight/namesakes";
import type { CapacityRequest, PreflightFacts } from "../../../components/preflight/preflight-facts";
import { identityType } from "../../../components/preflight/own-objects";
import { preflightRequest } from "../../../components/preflight/preflight-request";
import { unknownSentinel } from "../../../components/core/wire";
import { programs } from "../../aws/inputs/programs";
import { plan } from "../../support/plan";

const cidrs = { publicAccessCidrs: ["203.0.113.7/32"] };
const stackTag = "organization/eks-gpu-lab/gpu-lab";
const request = preflightRequest(cidrs, { stackTag }) as CapacityRequest;
const nameOf = (kind: (typeof fixedKinds)[number]) => fixedNames[kind].nameOf(request) ?? "";
const inState = (kind: (typeof fixedKinds)[number]) => ({
  ...{ urn: `urn:${kind}`, type: fixedNames[kind].type, id: nameOf(kind) },
});
const kinds = fc.subarray([...fixedKinds]);

describe("the names of an environment", () => {
  test("are those of its cluster, the log group and the alias of its key", () => {
    expect(fixedKinds.map(nameOf)).toEqual(["myeks", "/aws/eks/myeks/cluster", "alias/eks/myeks"]);
    const without = preflightRequest({ ...cidrs, controlPlaneLogs: [], secretsKey: "none" }) as CapacityRequest;
    expect(fixedKinds.map((kind) => fixedNames[kind].nameOf(without))).toEqual(["myeks", undefined, undefined]);
  });

  /** What is named inside of something that has a name of its own. */
  const inside = ["aws:scheduler/schedule:Schedule"];

  test.for(Object.entries(programs))("%s: no plan fixes another name", async ([, { region, run }]) => {
    const { resources } = await plan(run, region === undefined ? {} : { region });
    const named = resources.filter(({ type, inputs }) => {
      const { name } = inputs;
      return /^(?:aws|eks):/.test(type) && typeof name === "string" && name !== unknownSentinel;
    });
    const types = new Set(named.map(({ type }) => type.replace("eks:index:Cluster", fixedNames.cluster.type)));
    const known: string[] = [...fixedKinds.map((kind) => fixedNames[kind].type), ...inside];
    expect([...types].filter((type) => !known.includes(type))).toEqual([]);
  });
});

describe("whose a name is", () => {
  test("only the state says, whatever the tags: each object outside of it is a problem, and none in it is", async () => {
    await fc.assert(
      fc.asyncProperty(kinds, kinds, fc.constantFrom(stackTag, "other", undefined), async (existing, known, stack) => {
        const own = known.map(inState);
        const tags = { Name: "x", ...(stack !== undefined && { "eks-gpu-lab/stack": stack }) };
        const reads: string[] = [];
        const read = (kind: (typeof fixedKinds)[number]) => (name: string) => {
          reads.push(name);
          return Promise.resolve(existing.includes(kind) ? { tags } : undefined);
        };
        const readers = { cluster: read("cluster"), "log group": read("log group"), "key alias": read("key alias") };
        const namesakes = await readNamesakes(request, own, readers);
        const foreign = existing.filter((kind) => !known.includes(kind));
        const expected = foreign.includes("cluster") ? ["cluster"] : foreign;
        const facts: PreflightFacts = { namesakes, own };
        expect(nameProblems(request, facts).map(({ path }) => path)).toEqual(
          expected.map((kind) => fixedNames[kind as (typeof fixedKinds)[number]].path),
        );
        // What the state has needs no request.
        expect(reads.filter((name) => isOwnName(name, known))).toEqual([]);
      }),
    );
  });

  const isOwnName = (name: string, known: readonly (typeof fixedKinds)[number][]) =>
    known.some((kind) => nameOf(kind) === name);

  test("an object of another type with the same name in the state is none", () => {
    expect(isOwn({ kind: "cluster", name: "myeks" }, [{ urn: "u", type: "aws:sqs/queue:Queue", id: "myeks" }])).toBe(
      false,
    );
  });

  test.for([
    ["an owner", { created: "2026-11-20T09:30:12Z", tags: { owner: "alice", "eks-gpu-lab/stack": "a/b/c" } }],
    ["the tag of this stack", { tags: { "eks-gpu-lab/stack": stackTag } }],
    ["nothing", {}],
  ] as const)("the problem shows %s", ([, shown]) => {
    const [problem] = nameProblems(request, { own: [], namesakes: [{ kind: "cluster", name: "myeks", ...shown }] });
    expect(`${problem?.why}\n${problem?.fix}`).toMatchSnapshot();
  });

  describe("the id of an environment", () => {
    const ids = ["r-1/1/a", "r-1/1/b"] as const;
    const identity = (id: string) => ({ urn: `urn:${id}`, type: identityType, id });
    const optionalId = fc.constantFrom(...ids, undefined);
    const tagsWith = (id: string | undefined) => ({ Name: "x", ...(id !== undefined && { "eks-gpu-lab/id": id }) });

    test("an object in the state with another id is not own; without an id of either, the name decides", () => {
      fc.assert(
        fc.property(fc.constantFrom(...fixedKinds), fc.subarray([...ids]), optionalId, (kind, known, id) => {
          const own = [...known.map(identity), inState(kind)];
          const isOther = id !== undefined && known.length > 0 && !known.includes(id);
          expect(isOwn({ kind, name: nameOf(kind), tags: tagsWith(id) }, own)).toBe(!isOther);
          expect(isOwn({ kind, name: nameOf(kind), tags: tagsWith(id) }, known.map(identity))).toBe(false);
        }),
      );
    });

    test.for([
      ["its own id", ids[0], []],
      ["no id", undefined, []],
      ["the id of another environment", ids[1], ["clusterName"]],
    ] as const)("a cluster of the state with %s", async ([, id, paths]) => {
      const own = [identity(ids[0]), ...fixedKinds.map(inState)];
      const read = () => Promise.resolve({ tags: tagsWith(id) });
      const aliases = () => Promise.reject(new Error("An alias has no tags."));
      const namesakes = await readNamesakes(request, own, { cluster: read, "log group": read, "key alias": aliases });
      expect(nameProblems(request, { namesakes, own }).map(({ path }) => path)).toEqual(paths);
    });

    test("a log group with the id of another environment, and the way out", async () => {
      const own = [identity(ids[0]), ...fixedKinds.map(inState)];
      const read = (id: string) => () => Promise.resolve({ tags: tagsWith(id) });
      const readers = { cluster: read(ids[0]), "log group": read(ids[1]), "key alias": read(ids[1]) };
      const problems = nameProblems(request, { namesakes: await readNamesakes(request, own, readers), own });
      expect(problems.map(({ why, fix }) => `${why}\n${fix}`)).toMatchInlineSnapshot(`
        [
          "The state of this stack contains the log group /aws/eks/myeks/cluster, but in AWS it belongs to another environment: eks-gpu-lab/id=r-1/1/b. Hints at its owner: no tag eks-gpu-lab/stack.
        remove it from the state, which deletes nothing in AWS: pulumi state delete 'urn:log group' --target-dependents --force; then choose another name: pulumi config set clusterName NAME",
        ]
      `);
    });
  });

  test("without the state, only the log group that EKS left is a problem", () => {
    const named = fixedKinds.map((kind) => ({ kind, name: nameOf(kind), tags: { owner: "alice" } }));
    expect(nameProblems(request, { namesakes: named })).toEqual([]);
    const left = { kind: "log group", name: nameOf("log group"), tags: {} } as const;
    expect(nameProblems(request, { namesakes: [left] }).map(({ path }) => path)).toEqual(["controlPlaneLogs"]);
  });
});
