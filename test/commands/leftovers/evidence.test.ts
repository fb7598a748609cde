import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Ownership } from "../../../commands/leftovers/evidence";
import { free, type FoundObject, type Search } from "../../../commands/leftovers/found";
import { kinds } from "../../../commands/leftovers/kinds/kinds";
import type { StackState } from "../../../commands/stack/state";

const own = "us-west-2/123456789012/00000000-0000-4000-8000-000000000001";
const made = "2026-11-20T12:00:00.000Z";
const stack = "organization/eks-gpu-lab/lab";

const search: Search = {
  ...{ region: "us-west-2", ids: [own], stack, clusters: ["lab"], vpcs: ["vpc-own"] },
  existing: () => Promise.resolve([]),
  note: () => undefined,
};
const state: StackState = {
  ...{ isEmpty: false, ids: new Set<string>(), environments: new Map([[own, made]]) },
  ...{ resources: [], pending: [], clusters: ["lab"] },
};

function object(kind: string, id: string, more: Partial<FoundObject> = {}): FoundObject {
  return { kind, id, tags: {}, rate: free, steps: [], ...more };
}

function evidence(all: readonly FoundObject[], one: FoundObject, more: Partial<StackState> = {}, of = search) {
  const known = { account: "123456789012", state: { ...state, ...more }, existing: [] };
  return new Ownership({ ...known, search: of, all }).of(one);
}

/** Ids as other environments have them: of a twin, another region, another account; and what is nearly the own one. */
const otherIds = fc.oneof(
  fc.constantFrom(
    own.replace(/1$/, "2"),
    own.replace("us-west-2", "us-east-1"),
    own.replace("123456789012", "210987654321"),
    ...[`${own} `, own.toUpperCase(), `${own}/`, own.slice(0, -1), "", "lab", stack],
  ),
  fc.uuid().map((uuid) => `us-west-2/123456789012/${uuid}`),
);

/** Every mixture of tags that names the environment in some way, except its id. */
const otherTags = fc
  .record(
    {
      "eks-gpu-lab/id": otherIds,
      "eks-gpu-lab/stack": fc.constantFrom(stack, "organization/eks-gpu-lab/lab-2", "lab"),
      "eks-gpu-lab/name": fc.constantFrom("VPC", "cluster", "lab"),
      Name: fc.constantFrom("lab", "lab-2", "lab-VPC", "lab-NAT", "lab-database"),
      owner: fc.constant("somebody"),
      "kubernetes.io/cluster/lab": fc.constantFrom("owned", "shared"),
      "kubernetes.io/cluster/lab-2": fc.constant("owned"),
      "eks:cluster-name": fc.constantFrom("lab", "lab-2"),
      "elbv2.k8s.aws/cluster": fc.constantFrom("lab", "lab-2"),
      "cluster.k8s.amazonaws.com/name": fc.constantFrom("lab", "lab-2"),
      "aws:eks:cluster-name": fc.constantFrom("lab", "lab-2"),
      "aws:autoscaling:groupName": fc.constantFrom("eks-lab", "mine"),
    },
    { requiredKeys: [] },
  )
  .map((tags) => tags as Record<string, string>);

const anyKind = fc.constantFrom(...kinds.map(({ kind }) => kind));
const place = fc.record(
  {
    vpc: fc.constantFrom("vpc-own", "vpc-other", "vpc-copy"),
    cluster: fc.constantFrom("lab", "lab-2"),
    within: fc.constantFrom("cluster lab", "instance i-0", "vpc-other", "Auto Scaling group mine", "lab"),
    since: fc.constantFrom("2020-01-01T00:00:00Z", "2026-11-24T00:00:00Z"),
  },
  { requiredKeys: [] },
);

/** What else is in the account: others' objects with the same names, and a VPC with copied tags. */
const account: readonly FoundObject[] = [
  object("VPC", "vpc-own", { vpc: "vpc-own", tags: { "eks-gpu-lab/id": own, "eks-gpu-lab/name": "VPC" } }),
  object("VPC", "vpc-other", { vpc: "vpc-other" }),
  object("VPC", "vpc-copy", { vpc: "vpc-copy", tags: { "eks-gpu-lab/id": own }, since: "2020-01-01T00:00:00Z" }),
  object("cluster", "lab", { cluster: "lab" }),
  object("role", "lab"),
  object("node group", "mine", { cluster: "lab", aliases: ["Auto Scaling group mine"] }),
];

describe("without the own id", () => {
  test("no mixture of names, tags and places makes an object one that is removed", () => {
    fc.assert(
      fc.property(anyKind, fc.constantFrom("lab", "x-1"), otherTags, place, (kind, id, tags, at) => {
        const one = object(kind, `${id}-thing`, { tags, ...at });
        const found = evidence([...account, one], one);
        expect(found).not.toBe("id");
        expect(found).not.toBe("part");
        // Only AWS sets this tag, and only in a VPC that is the environment's it says more than a name.
        const isOfAws = tags["aws:eks:cluster-name"] === "lab" && at.vpc === "vpc-own";
        if (!isOfAws) expect(found).not.toBe("aws");
        if (tags["eks-gpu-lab/id"] !== undefined) expect(found).toBeUndefined();
      }),
      { numRuns: 10_000 },
    );
  });

  test("a search without ids finds nothing that is removed", () => {
    fc.assert(
      fc.property(anyKind, otherTags, place, fc.boolean(), (kind, tags, at, hasId) => {
        const one = object(kind, "x-1", { ...at, tags: { ...tags, ...(hasId && { "eks-gpu-lab/id": own }) } });
        const found = evidence([...account, one], one, { environments: new Map() }, { ...search, ids: [] });
        expect(["id", "aws", "part"]).not.toContain(found);
      }),
      { numRuns: 5000 },
    );
  });
});

describe("with the own id", () => {
  const typed = fc.constantFrom(...kinds.flatMap(({ kind, type }) => (type === undefined ? [] : [kind])));
  const tagsOf = (name: string, more: object = {}) => ({ "eks-gpu-lab/id": own, "eks-gpu-lab/name": name, ...more });

  test("the only object with a logical name, in the id's region and account, made after the environment, is the environment's", () => {
    fc.assert(
      fc.property(typed, otherTags, place, (kind, tags, at) => {
        const one = object(kind, "x-1", { ...at, tags: { ...tags, ...tagsOf("thing") } });
        const isEarlier = at.since?.startsWith("2020") === true;
        expect(evidence([...account, one], one)).toBe(isEarlier ? "copy" : "id");
      }),
      { numRuns: 2000 },
    );
  });

  test("copied to another region or account, it is a copy", () => {
    fc.assert(
      fc.property(
        typed,
        fc.constantFrom(own.replace("us-west-2", "eu-west-1"), own.replace("1234", "4321")),
        (kind, id) => {
          const one = object(kind, "x-1", { tags: { ...tagsOf("thing"), "eks-gpu-lab/id": id } });
          const known = { environments: new Map([[id, made]]) };
          expect(evidence([one], one, known, { ...search, ids: [id] })).toBe("copy");
        },
      ),
    );
  });

  test("of two objects with one logical name, both are copies, unless the state knows one: then the other is", () => {
    fc.assert(
      fc.property(typed, fc.boolean(), fc.boolean(), (kind, isKnown, isPending) => {
        const [first, second] = ["x-1", "x-2"].map((id) => object(kind, id, { tags: tagsOf("thing") }));
        if (!first || !second) throw new Error("two objects");
        const type = kinds.find((one) => one.kind === kind)?.type ?? "";
        const resource = { urn: `urn:pulumi:s::p::${type}::thing`, type, name: "thing", inputs: {}, id: "x-1" };
        const known = isKnown ? { ids: new Set(["x-1"]), resources: [resource] } : {};
        const { id: _, ...create } = resource;
        const pending = isPending ? [create] : [];
        const found = evidence([first, second], second, { ...known, pending });
        // While a create is pending, what replaces the first one has its name.
        expect(found).toBe(isKnown && isPending ? "id" : "copy");
      }),
    );
  });

  test.for(["volume", "load balancer", "network interface", "OIDC provider"])(
    "a program creates no %s: with a logical name it is a copy, and without the tag of a controller, too",
    (kind) => {
      const of = (tags: Record<string, string>) => {
        const one = object(kind, "x-1", { tags });
        return evidence([one], one);
      };
      expect(of(tagsOf("system"))).toBe("copy");
      expect(of({ "eks-gpu-lab/id": own })).toBe("copy");
      expect(of({ "eks-gpu-lab/id": own, "kubernetes.io/cluster/lab": "owned" })).toBe("id");
    },
  );
});

describe("what a controller created, by its tags", () => {
  const cluster = { "eks-gpu-lab/id": own, "kubernetes.io/cluster/lab": "owned" };
  const claim = { ...cluster, CSIVolumeName: "pvc-1", "kubernetes.io/created-for/pv/name": "pvc-1" };

  test("an instance with the id is a copy: a lab gives it to none", () => {
    fc.assert(
      fc.property(otherTags, place, (tags, at) => {
        const one = object("instance", "i-1", { ...at, tags: { ...tags, ...cluster } });
        expect(evidence([...account, one], one)).toBe("copy");
      }),
    );
  });

  const nodeClaim = { ...cluster, "karpenter.sh/nodeclaim": "gpu-1", "aws:ec2:fleet-id": "fleet-1" };
  test.for<[what: string, kind: string, tags: Record<string, string>, found: string | undefined]>([
    ["of Karpenter", "instance", nodeClaim, "id"],
    ["that a person started like it, in no fleet", "instance", { ...nodeClaim, "aws:ec2:fleet-id": "" }, "copy"],
    ["of another fleet", "instance", { ...cluster, "aws:ec2:fleet-id": "fleet-1" }, "copy"],
    ["of another environment", "instance", { ...nodeClaim, "eks-gpu-lab/id": `${own}2` }, undefined],
    ["of Auto Mode, without an id", "instance", { "eks:eks-cluster-name": "lab" }, "named"],
    ["of another cluster", "instance", { "eks:eks-cluster-name": "lab-2" }, undefined],
    ["of Karpenter", "launch template", { "eks-gpu-lab/id": own, "karpenter.k8s.aws/cluster": "lab" }, "id"],
    ["without an id", "launch template", { "karpenter.k8s.aws/cluster": "lab" }, "named"],
  ])("%s: %s", ([, kind, all, found]) => {
    const tags = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    const one = object(kind, "x-1", { tags });
    expect(evidence([one], one)).toBe(found);
  });

  const beforeNode = { "karpenter.sh/nodepool": "lab-gpu", "karpenter.k8s.aws/ec2nodeclass": "lab-gpu" };
  const starting = { ...cluster, ...beforeNode, "eks:eks-cluster-name": "lab", "aws:ec2:fleet-id": "fleet-1" };
  test.for<[what: string, tags: Record<string, string>, more: Partial<FoundObject>, found: string | undefined]>([
    ["an instance that Karpenter started", {}, {}, "id"],
    ["one that a person started like it, in no fleet", { "aws:ec2:fleet-id": "" }, {}, "copy"],
    ["one of another NodePool", { "karpenter.sh/nodepool": "web" }, {}, "copy"],
    ["one of no NodePool", { "karpenter.sh/nodepool": "", "karpenter.k8s.aws/ec2nodeclass": "" }, {}, "copy"],
    ["one of another cluster", { "kubernetes.io/cluster/lab": "", "eks:eks-cluster-name": "lab-2" }, {}, "copy"],
    ["one of two clusters", { "eks:eks-cluster-name": "lab-2" }, {}, "copy"],
    [
      "one of another cluster, owned",
      { "kubernetes.io/cluster/lab": "", "kubernetes.io/cluster/b": "owned" },
      {},
      "copy",
    ],
    ["one of no cluster", { "kubernetes.io/cluster/lab": "", "eks:eks-cluster-name": "" }, {}, "copy"],
    ["one of a group, with copied tags", {}, { within: "Auto Scaling group mine" }, "copy"],
    ["one in a VPC of others", {}, { vpc: "vpc-other" }, "copy"],
    ["one in a copy of the VPC", {}, { vpc: "vpc-copy" }, "copy"],
    ["one from before the environment", {}, { since: "2020-01-01T00:00:00Z" }, "copy"],
    ["one that was restored", { "aws:backup:source-resource": "i-0" }, {}, "copy"],
    ["one that a program made", { "eks-gpu-lab/name": "VPC" }, {}, "copy"],
    ["one of another environment", { "eks-gpu-lab/id": `${own}2` }, {}, undefined],
  ])("before its node is known, %s: %s", ([, changed, more, found]) => {
    const given = Object.entries({ ...starting, ...changed }).filter(([, value]) => value !== "");
    const one = object("instance", "i-1", { vpc: "vpc-own", ...more, tags: Object.fromEntries(given) });
    expect(evidence([...account, one], one)).toBe(found);
  });

  test("two instances of one NodeClaim are copies: one of them is not Karpenter's", () => {
    const [one, two] = ["i-1", "i-2"].map((id) => object("instance", id, { tags: nodeClaim })) as [
      FoundObject,
      FoundObject,
    ];
    for (const each of [one, two]) expect(evidence([one, two], each)).toBe("copy");
  });

  test("what was restored is a copy, alone and next to the original", () => {
    const restored = fc.constantFrom<Partial<FoundObject>>(
      { tags: claim, isRestored: true },
      { tags: { ...claim, "aws:backup:source-resource": "vol-0" } },
      { tags: { ...claim, "aws:backup:restored-from": "x" }, isRestored: true },
    );
    fc.assert(
      fc.property(restored, fc.boolean(), (more, isAlone) => {
        const one = object("volume", "vol-2", more);
        const original = object("volume", "vol-1", { tags: claim });
        const all = isAlone ? [one] : [original, one];
        expect(evidence(all, one)).toBe("copy");
        // Copies of its tags can be on an original that is not one.
        if (!isAlone) expect(evidence(all, original)).toBe("copy");
      }),
    );
  });

  const stack = (by: string, resource: string) => ({ [`${by}/stack`]: "default/web", [`${by}/resource`]: resource });
  test.for<readonly [kind: string, first: Record<string, string>, second: Record<string, string>, isCopy: boolean]>([
    ["volume", { CSIVolumeName: "pvc-1" }, { CSIVolumeName: "pvc-1" }, true],
    ["volume", { CSIVolumeName: "pvc-1" }, { CSIVolumeName: "pvc-2" }, false],
    ["volume", {}, {}, false],
    ...["volume", "load balancer"].map(
      (kind) =>
        [
          kind,
          { "kubernetes.io/created-for/pv/name": "a" },
          { "kubernetes.io/created-for/pv/name": "a" },
          true,
        ] as const,
    ),
    ["load balancer", { "service.k8s.aws/stack": "default/web" }, { "service.k8s.aws/stack": "default/web" }, true],
    ["load balancer", stack("service.k8s.aws", "LoadBalancer"), stack("service.k8s.aws", "LoadBalancer"), true],
    ["load balancer", stack("ingress.k8s.aws", "LoadBalancer"), stack("ingress.k8s.aws", "LoadBalancer"), true],
    ["load balancer", stack("service.k8s.aws", "LoadBalancer"), { "service.k8s.aws/stack": "default/api" }, false],
    // A Service with two ports has two target groups.
    ["target group", stack("service.k8s.aws", "web:80"), stack("service.k8s.aws", "web:443"), false],
    ["target group", stack("service.k8s.aws", "web:80"), stack("service.k8s.aws", "web:80"), true],
    [
      "classic load balancer",
      { "kubernetes.io/service-name": "default/web" },
      { "kubernetes.io/service-name": "default/web" },
      true,
    ],
  ])("two of the kind %s with %j and %j", ([kind, first, second, isCopy]) => {
    const [one, two] = [first, second].map((tags, at) => object(kind, `x-${at}`, { tags: { ...cluster, ...tags } }));
    if (!one || !two) throw new Error("two objects");
    for (const each of [one, two]) expect(evidence([one, two], each)).toBe(isCopy ? "copy" : "id");
    // A copy of another kind, or with the id of another environment, says nothing.
    const other = { ...two, tags: { ...two.tags, "eks-gpu-lab/id": `${own}9` } };
    expect(evidence([one, other], one)).toBe("id");
    expect(evidence([one, { ...two, kind: "subnet" }], one)).toBe("id");
  });
});

describe("parts", () => {
  const ownTags = { "eks-gpu-lab/id": own, "eks-gpu-lab/name": "system" };
  const group = (tags: Record<string, string>) =>
    object("node group", "system", { tags, cluster: "lab", aliases: ["Auto Scaling group eks-1"] });
  const node = object("instance", "i-1", {
    ...{ vpc: "vpc-own", within: "Auto Scaling group eks-1" },
    tags: { "aws:eks:cluster-name": "lab", "aws:autoscaling:groupName": "eks-1" },
  });
  const vpc = account[0] as FoundObject;

  test("a node belongs to the owner of its group, not to the cluster in the tag of AWS", () => {
    expect(evidence([vpc, group(ownTags), node], node)).toBe("part");
    expect(evidence([vpc, group({ ...ownTags, "eks-gpu-lab/id": `${own}9` }), node], node)).toBe("named");
    expect(evidence([vpc, group({}), node], node)).toBe("named");
  });

  test("an instance that joined the cluster without a group was started by somebody", () => {
    const alone = object("instance", "i-2", { vpc: "vpc-own", tags: { "aws:eks:cluster-name": "lab" } });
    expect(evidence([vpc, alone], alone)).toBe("named");
  });

  test("an object of another kind that has the name of the container contains nothing", () => {
    const queue = object("schedule group", "lab", { tags: ownTags });
    const addon = object("add-on", "mine", { within: "cluster lab", cluster: "lab" });
    expect(evidence([queue, addon], addon)).toBe("named");
    // The add-on and the node group have the same ID in a state.
    const ownAddon = object("add-on", "system", { pulumiId: "lab:system", tags: ownTags });
    const interface1 = object("network interface", "eni-1", { within: "lab:system", vpc: "vpc-own" });
    expect(evidence([ownAddon, interface1], interface1)).toBe("place");
  });
});
