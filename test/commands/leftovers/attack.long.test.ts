import { Readable } from "node:stream";
import { EC2 } from "@aws-sdk/client-ec2";
import { IAM } from "@aws-sdk/client-iam";
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { runLeftovers } from "../../../commands/leftovers/leftovers";
import { useAws } from "../../support/aws-environment";
import { simulator } from "../../support/aws-simulators";
import { captured } from "../../support/cli";
import { attackServer, type AttackServer, type Sent } from "./support/attack-server";
import { refusalsOf } from "./support/aws-refusals";
import { claimVolume, intrusions, namedObjects, type Intrusion } from "./support/intrusions";
import { identityOf, makeOrphans, region, type Orphans } from "./support/orphans";
import { useStack } from "./support/pulumi-stack";

vi.mock("../../../components/cost/price-table.json", () => import("../../fixtures/price-table.json"));

/**
 * Attacks on `leftovers --delete`, against moto: others use the account, too. What counts is the server's record of the
 * requests that change something.
 */

const moto = simulator("moto", "attacks on leftovers");
let endpoint = "";
beforeEach(async (context) => {
  endpoint = moto(context);
  await reset();
});

async function reset(): Promise<void> {
  useAws(endpoint);
  await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
  useStack({ resources: [identityOf("myeks")] });
}

interface Left {
  readonly kind: string;
  readonly id: string;
  readonly keep: string | null;
  readonly evidence: string;
  readonly note: string | null;
}

interface Removal {
  readonly removed: readonly { readonly kind: string; readonly id: string }[];
  readonly failures: readonly { readonly kind: string; readonly id: string; readonly why: string }[];
  readonly remaining: readonly Left[];
}

async function remove(server: AttackServer): Promise<Removal | undefined> {
  useAws(server.endpoint);
  const { out, err } = await captured(
    (console) =>
      runLeftovers(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab", "--json"], console, {
        ...{ intervalMs: 5, waitMs: 5000 },
      }),
    { terminal: { isTTY: false, columns: 100 }, input: Object.assign(Readable.from([]), { isTTY: false }) },
  );
  useAws(endpoint);
  expect(out, err).toContain('"kind": "Leftovers"');
  return (JSON.parse(out) as { removal?: Removal }).removal;
}

/** No request that changes something names what is of others, or what that needs. */
function expectUntouched({ writes }: AttackServer, all: readonly Intrusion[]): void {
  const protectedIds = new Set(all.flatMap(({ foreign, needed }) => [...foreign, ...needed]));
  const named = Object.entries(namedObjects).filter(([object]) => protectedIds.has(object));
  const isHit = (operation: string, value: string) =>
    (protectedIds.has(value) && !(value in namedObjects) && !isOnlyNamed(operation, value)) ||
    named.some(([, [operations, name]]) => operations.test(operation) && name === value);
  const hits = writes.flatMap(({ operation, values }) =>
    values.filter((value) => isHit(operation, value)).map((value) => `${operation} ${value}`),
  );
  expect([...new Set(hits)]).toEqual([]);
}

/** A gateway to which no route of others leads names the VPC that stays. */
function isOnlyNamed(operation: string, value: string): boolean {
  return operation === "DetachInternetGateway" && value.startsWith("vpc-");
}

/** What has the id and stays is used by something, or may be a copy. */
function expectFinished(removal: Removal | undefined): void {
  expect(removal?.failures).toEqual([]);
  const own = (removal?.remaining ?? []).filter(({ evidence, note }) => evidence === "id" && note === null);
  expect(own.filter(({ keep }) => keep?.startsWith("it is used by") !== true)).toEqual([]);
}

const names = Object.keys(intrusions);

/** What a run of the property has found once. */
const namesake: [string[], number, number[]] = [
  ["a schedule of a function in the schedule group", "a subnet with the route table of the environment"],
  1,
  [2],
];

async function intrude(own: Orphans, chosen: readonly string[]): Promise<Intrusion[]> {
  const all: Intrusion[] = [];
  for (const name of chosen) all.push(await (intrusions[name] as (typeof intrusions)[string])(own));
  return all;
}

/**
 * Each class of things, two in an account. What keeps an object of the environment could hide that something else needs it,
 * too: the two need nothing in common.
 */
const accounts = [
  ["an instance in a subnet of the environment", "aliases of the key"],
  ["an interface of a database in a subnet", "an instance profile with the role of the environment"],
  ["a security group whose rules name one of the environment", "an instance with the profile of the environment"],
  ["a NAT gateway in a subnet", "schedules in the schedule group"],
  ["a route table with a route to the NAT gateway", "a volume that was restored from a copied snapshot, with all tags"],
  ["a subnet with the route table of the environment", "a schedule of a function in the schedule group"],
  ["an endpoint with the route table of the environment", "a load balancer with the target group of the environment"],
  ["a peering connection", "an instance with an address of the environment"],
  ["a VPN gateway", "an instance with a volume of the environment"],
  ["a load balancer in the VPC", "a restored volume next to the original"],
  ["objects with all tags of one of the environment", "an instance with all tags of a node, and the id"],
  ["an Auto Scaling group with the launch template", "objects with the id of a copy in another region or account"],
  ["a cluster with a role and a subnet of the environment", "a volume with the name of another one in the cluster"],
  ["a node group in the cluster", "what the environment has in another VPC"],
  ["a lab with the same stack and a name that begins the same", "names and old tags only"],
] as const;

describe("in an account with", () => {
  test("each class of things: it is in one of the accounts", () => {
    expect([...accounts.flat()].sort()).toEqual([...names].sort());
  });

  test.for(accounts)("%s, and %s: nothing of others is touched, and the rest is removed", async (both) => {
    const own = await makeOrphans("myeks", "gpu-lab");
    const all = await intrude(own, both);
    const needed = all.flatMap((one) => one.needed);
    expect(new Set(needed).size).toBe(needed.length);
    const server = await attackServer(endpoint, { refuse: refusalsOf() });
    const removal = await remove(server);
    expectUntouched(server, all);
    expectFinished(removal);
  });
});

test("the role of a node group goes with the profile that EKS made for it, in one run", async () => {
  await makeOrphans("myeks", "gpu-lab");
  const removal = await remove(await attackServer(endpoint, { refuse: refusalsOf() }));
  expectFinished(removal);
  expect(removal?.removed).toContainEqual(expect.objectContaining({ kind: "role" }));
  expect((await new IAM({ region }).listInstanceProfiles({})).InstanceProfiles).toEqual([]);
});

test("some of these at once, with pages of one or two items, and requests that fail in the middle: untouched, and a rerun finishes", async () => {
  const failing = fc.uniqueArray(fc.nat({ max: 40 }), { minLength: 1, maxLength: 6 });
  const chosen = fc.uniqueArray(fc.constantFrom(...names), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(chosen, fc.constantFrom(1, 2), failing, async (some, pageSize, numbers) => {
      await reset();
      const own = await makeOrphans("myeks", "gpu-lab");
      const all = await intrude(own, some);
      const refusals = refusalsOf();
      let number = 0;
      const first = await attackServer(endpoint, {
        pageSize,
        refuse: async (sent) => (isDelete(sent) && numbers.includes(number++) ? denialOf(sent) : refusals(sent)),
      });
      await remove(first);
      expect(first.writes.length).toBeGreaterThan(0);
      expectUntouched(first, all);
      const second = await attackServer(endpoint, { pageSize, refuse: refusals });
      const removal = await remove(second);
      expectUntouched(second, all);
      if (removal) expectFinished(removal);
    }),
    { numRuns: 3, endOnFailure: true, examples: [namesake] },
  );
});

const isDelete = ({ operation }: Sent) => !/^(?:Describe|List|Get|GET )/.test(operation);
const denialOf = ({ service }: Sent) => (service === "ec2" ? "UnauthorizedOperation" : "AccessDeniedException");

describe("late answers", () => {
  /** Something appears once a list has been read so often. */
  test.for([
    ["DescribeVpcs", 2, "an instance in a subnet of the environment"],
    ["DescribeVpcs", 3, "an instance in a subnet of the environment"],
    ["DescribeVpcs", 3, "an Auto Scaling group with the launch template"],
    ["DescribeVpcs", 2, "an instance profile with the role of the environment"],
    ["DescribeVpcs", 3, "an instance profile with the role of the environment"],
    ["DescribeVpcs", 3, "aliases of the key"],
  ] as const)("before reading %s for the %i. time: %s", async ([operation, count, name]) => {
    const own = await makeOrphans("myeks", "gpu-lab");
    const all: Intrusion[] = [];
    let isDone = false;
    const server = await attackServer(endpoint, {
      refuse: refusalsOf(),
      before: async (sent, now) => {
        if (sent.operation !== operation || now !== count || isDone) return;
        isDone = true;
        all.push(...(await intrude(own, [name])));
      },
    });
    await remove(server);
    expect(isDone).toBe(true);
    expectUntouched(server, all);
  });

  test.for([
    ["GET clusters", 2],
    ["GET clusters", 3],
    ["DeleteNodegroup", 1],
  ] as const)(
    "a volume with the id that appears with %s number %i, after the confirmation, stays",
    async ([name, at]) => {
      const { ec2, cluster, group } = await makeOrphans("myeks", "gpu-lab");
      const operation = name === "DeleteNodegroup" ? `DELETE clusters/${cluster}/node-groups/${group}` : name;
      let volume: string | undefined;
      const server = await attackServer(endpoint, {
        refuse: refusalsOf(),
        before: async (sent, count) => {
          if (sent.operation === operation && count === at) volume = await claimVolume(ec2, "late");
        },
      });
      const removal = await remove(server);
      expect(volume).toBeDefined();
      expectUntouched(server, [{ foreign: [volume], needed: [] }]);
      expect(removal?.removed.map(({ kind }) => kind)).toContain("volume");
      expect(removal?.remaining).toContainEqual(expect.objectContaining({ id: volume, evidence: "id", keep: null }));
      // A second run shows it, and removes it.
      const second = await attackServer(endpoint, { refuse: refusalsOf() });
      expect((await remove(second))?.removed.map(({ id }) => id)).toContain(volume);
    },
  );

  test("a list that lacks an instance in the first reading", async () => {
    const own = await makeOrphans("myeks", "gpu-lab");
    const all = await intrude(own, ["an instance in a subnet of the environment"]);
    const server = await attackServer(endpoint, {
      refuse: refusalsOf(),
      stale: [/^Describe(Instances|NetworkInterfaces)$/, 4],
    });
    await remove(server);
    expectUntouched(server, all);
  });

  test("a cluster with the name of the environment's that appears in the second reading: nothing is removed", async () => {
    const { eks, cluster, group, subnets } = await makeOrphans("myeks", "gpu-lab");
    await eks.deleteNodegroup({ clusterName: cluster, nodegroupName: group });
    await eks.deleteCluster({ name: cluster });
    const create = async () => {
      await eks.createCluster({
        ...{ name: cluster, roleArn: "arn:aws:iam::123456789012:role/x", version: "1.35" },
        resourcesVpcConfig: { subnetIds: [...subnets] },
      });
    };
    const server = await attackServer(endpoint, {
      before: async ({ operation }, count) => (operation === "GET clusters" && count === 2 ? create() : undefined),
    });
    await remove(server);
    expect(server.writes).toEqual([]);
  });
});

describe("what cannot be read", () => {
  test.for(["DescribeInstances", "DescribeNetworkInterfaces", "DescribeSecurityGroups", "DescribeRouteTables"])(
    "%s is denied: nothing in the network is touched",
    async (denied) => {
      const own = await makeOrphans("myeks", "gpu-lab");
      const all = await intrude(own, ["an instance in a subnet of the environment"]);
      const refusals = refusalsOf();
      const server = await attackServer(endpoint, {
        refuse: (sent) => (sent.operation === denied ? "UnauthorizedOperation" : refusals(sent)),
      });
      await remove(server);
      expectUntouched(server, all);
      expect(server.writes.filter(({ service }) => service === "ec2")).toEqual([]);
    },
  );

  test("node groups are denied: the role of others' nodes stays", async () => {
    const own = await makeOrphans("myeks", "gpu-lab");
    await own.eks.createNodegroup({
      ...{ clusterName: own.cluster, nodegroupName: "mine", subnets: [...own.subnets] },
      nodeRole: "arn:aws:iam::123456789012:role/myeks-system-2026",
    });
    const server = await attackServer(endpoint, {
      refuse: ({ operation }) => (operation.endsWith("/node-groups") ? "AccessDeniedException" : undefined),
    });
    await remove(server);
    expectUntouched(server, [{ foreign: ["mine"], needed: ["role", "cluster"] }]);
  });
});

test("a lab in another region and its roles stay", async () => {
  const west = "us-west-2";
  const iam = new IAM({ region });
  const id = `${west}/123456789012/00000000-0000-4000-8000-00000000000f`;
  const Tags = [
    { Key: "eks-gpu-lab/stack", Value: "organization/eks-gpu-lab/gpu-lab" },
    { Key: "eks-gpu-lab/name", Value: "system-role" },
    { Key: "eks-gpu-lab/id", Value: id },
  ];
  const AssumeRolePolicyDocument = JSON.stringify({ Statement: [] });
  await iam.createRole({ RoleName: "myeks-west", AssumeRolePolicyDocument, Tags });
  const { Vpc } = await new EC2({ region: west }).createVpc({ CidrBlock: "10.0.0.0/16" });
  await makeOrphans("myeks", "gpu-lab");
  const server = await attackServer(endpoint, { refuse: refusalsOf() });
  expectFinished(await remove(server));
  expectUntouched(server, [{ foreign: ["myeks-west", Vpc?.VpcId], needed: [] }]);
});
