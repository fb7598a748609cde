import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Budgets } from "@aws-sdk/client-budgets";
import { EC2 } from "@aws-sdk/client-ec2";
import { CloudWatch } from "@aws-sdk/client-cloudwatch";
import { IAM } from "@aws-sdk/client-iam";
import { KMS } from "@aws-sdk/client-kms";
import { SQS } from "@aws-sdk/client-sqs";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { runLeftovers } from "../../../commands/leftovers/leftovers";
import { useAws } from "../../support/aws-environment";
import { awsServer, failure, type Answer, type Params } from "../../support/aws-server";
import { simulator } from "../../support/aws-simulators";
import { captured } from "../../support/cli";
import { usePulumi } from "../../support/fake-pulumi";
import { folder } from "../../support/files";
import { endProfileOfEks, idOf, identityOf, makeOrphans, region, stackTags, type Orphans } from "./support/orphans";
import { useStack, type StateFields } from "./support/pulumi-stack";

vi.mock("../../../components/cost/price-table.json", () => import("../../fixtures/price-table.json"));

/**
 * Leftovers against moto. It answers neither ListAddons nor the tags of budgets, nor does it reject the removal of what is in
 * use.
 */

const moto = simulator("moto", "leftovers");
let endpoint = "";
beforeEach(async (context) => {
  endpoint = moto(context);
  const DeleteNodegroup = ({ cluster, group }: Params) =>
    endProfileOfEks(endpoint, String(cluster), String(group)).then(() => undefined);
  useAws((await awsServer({ ListTagsForResource: budgetTags, DeleteNodegroup }, endpoint)).endpoint);
  await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
});

/** The tags of the budget of a lease; moto answers for the other services. */
function budgetTags({ ResourceARN: arn }: Params): Answer | undefined {
  const isBudget = /^arn:aws:budgets::\d{12}:budget\/\w+-lease-2026$/.test(String(arn));
  const tags = Object.entries({ ...stackTags("gpu-lab", "lease-budget"), "eks-gpu-lab/id": idOf("myeks") }).map(
    ([Key, Value]) => ({ Key, Value }),
  );
  return isBudget ? { ResourceTags: tags } : undefined;
}

interface Document {
  readonly account: string;
  readonly leftovers: readonly {
    readonly kind: string;
    readonly id: string;
    readonly usdPerDay: number | null;
    readonly keep: string | null;
    readonly adopt: string | null;
    readonly idInState: string | null;
    readonly removedWith: string | null;
    readonly cluster: string | null;
    readonly isInUse: boolean;
    readonly evidence: string;
    readonly name: string | null;
    readonly owner: string | null;
    readonly commands: readonly string[];
  }[];
  readonly cost: { readonly usdPerDay: number; readonly complete: boolean };
  readonly interrupted: object;
  readonly notes: readonly string[];
  readonly unread: readonly { readonly what: string; readonly why: string; readonly fix: string }[];
  readonly removal?: { readonly remaining: readonly { readonly kind: string }[]; readonly failures: readonly object[] };
}

async function run(args: readonly string[], typed?: string, columns = 100) {
  const input = Object.assign(Readable.from(typed === undefined ? [] : [`${typed}\n`]), { isTTY: typed !== undefined });
  const result = await captured((console) => runLeftovers(args, console, { intervalMs: 10, waitMs: 5000 }), {
    terminal: { isTTY: typed !== undefined, columns },
    input,
  });
  return { ...result, document: () => JSON.parse(result.out) as Document };
}

async function refused(args: readonly string[]): Promise<string> {
  const { status, err } = await run(args);
  expect(status, err).toBe(2);
  return err;
}

const kindsOf = ({ leftovers }: Document) => [...new Set(leftovers.map(({ kind }) => kind))];

/** Removes the cluster with its node group, as a destroy that fails later. */
async function endCluster({ eks, cluster, group }: Pick<Orphans, "eks" | "cluster" | "group">): Promise<void> {
  await eks.deleteNodegroup({ clusterName: cluster, nodegroupName: group });
  await eks.deleteCluster({ name: cluster });
}

/** The state of a stack whose destroy failed: the identity of its environment is deleted last. */
const ofLab = { resources: [identityOf("myeks")] };

describe("a stack whose destroy failed", () => {
  let orphans: Orphans;
  beforeEach(async () => {
    orphans = await makeOrphans("myeks", "gpu-lab");
    useStack(ofLab);
  });

  test("every kind is listed in the order of its removal, with its cost", async () => {
    const { status, document } = await run(["--stack", "gpu-lab", "--json"]);
    const found = document();
    expect(status).toBe(1);
    expect(kindsOf(found)).toEqual([
      ...["schedule group", "CloudWatch alarm", "SQS queue", "budget"],
      ...["load balancer", "classic load balancer", "target group", "node group", "cluster"],
      ...["instance", "launch template", "NAT gateway", "VPC endpoint", "volume", "network interface"],
      ...["elastic address", "security group", "route table", "subnet", "internet gateway", "VPC", "log group"],
      ...["KMS key", "instance profile", "role"],
    ]);
    const costs = Object.fromEntries(found.leftovers.map(({ kind, usdPerDay }) => [kind, usdPerDay]));
    expect(costs).toMatchObject({
      ...{ "load balancer": null, "node group": 0, VPC: 0 },
      cluster: expect.closeTo(24 * 0.1) as number,
      instance: expect.closeTo(24 * 0.052) as number,
      "NAT gateway": expect.closeTo(24 * 0.059) as number,
      volume: expect.closeTo((50 * 0.0912 * 24) / 730) as number,
      "elastic address": expect.closeTo(24 * 0.005) as number,
      "KMS key": expect.closeTo(24 / 730) as number,
      "CloudWatch alarm": expect.closeTo((0.1 * 24) / 730) as number,
      ...{ "SQS queue": 0, budget: 0 },
    });
    expect(found.cost).toEqual({ usdPerDay: expect.closeTo(5.37, 1) as number, complete: false });
    expect(found.unread.map(({ what }) => what)).toEqual(["add-ons"]);
  });

  test("the text has the commands, which name the region, and objects without a price are named", async () => {
    const { out } = await run(["--stack", "gpu-lab"]);
    const title =
      "of the stack organization/eks-gpu-lab/gpu-lab in ap-northeast-2 of the account 123456789012; its state is empty";
    expect(out.replace(/\s+/g, " ")).toContain(title);
    expect(out).toMatch(/Total: 5\.3\d USD per day without traffic, plus objects whose price is unknown; prices of \d/);
    const commands = out.split("\n").flatMap((line) => (line.startsWith("  aws ") ? [line.trim()] : []));
    const position = (part: string) => commands.findIndex((one) => one.includes(part));
    const { nat, vpc, address, key } = orphans;
    expect(commands[position("delete-nat-gateway")]).toBe(
      `aws ec2 delete-nat-gateway --nat-gateway-id ${nat} --region ${region}`,
    );
    const account = "--account-id 123456789012";
    const lease = [
      "cloudwatch delete-alarms --alarm-names myeks-lease-2026",
      `sqs delete-queue --queue-url ${process.env["AWS_ENDPOINT_URL"]}/123456789012/myeks-lease-2026`,
      `budgets delete-budget ${account} --budget-name myeks-lease-2026`,
    ];
    expect(commands).toEqual(expect.arrayContaining(lease.map((one) => `aws ${one} --region ${region}`)) as string[]);
    const order = [
      ...["elbv2 delete-load-balancer", "eks delete-nodegroup", "eks wait nodegroup-deleted", "eks delete-cluster"],
      ...["eks wait cluster-deleted", `ec2 wait nat-gateway-deleted --nat-gateway-ids ${nat}`],
      ...[address, "revoke-security-group-ingress", "disassociate-route-table", "delete-subnet"],
      ...["detach-internet-gateway", `--vpc-id ${vpc}`, "kms delete-alias", key, "detach-role-policy", "delete-role "],
    ];
    const positions = order.map(position);
    expect(positions).not.toContain(-1);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  test("--delete removes everything after the name was typed; a key is left, whose deletion is pending and free", async () => {
    const { status, err, out } = await run(["--stack", "gpu-lab", "--delete"], "gpu-lab");
    expect(err).toContain("Type gpu-lab to remove 1 schedule group, 1 CloudWatch alarm, 1 SQS queue, 1 budget, 1 load");
    expect(out).toContain("Removed: 1 schedule group, 1 CloudWatch alarm, 1 SQS queue, 1 budget, 1 load balancer");
    // The agent of Container Insights writes its group without tags.
    expect(out).toContain("Left: 1 log group;");
    expect(status).toBe(1);
    const { leftovers } = (await run(["--stack", "gpu-lab", "--json"])).document();
    expect(leftovers).toEqual([
      expect.objectContaining({ kind: "log group", evidence: "named", owner: null }),
      expect.objectContaining({ kind: "KMS key", usdPerDay: 0, note: "free while its deletion is pending" }),
    ]);
    const { Roles = [] } = await new IAM({ region }).listRoles({});
    expect(Roles).toEqual([]);
    expect((await new IAM({ region }).listInstanceProfiles({})).InstanceProfiles).toEqual([]);
    expect((await new SQS({ region }).listQueues({})).QueueUrls ?? []).toEqual([]);
    expect((await new CloudWatch({ region }).describeAlarms({})).MetricAlarms).toEqual([]);
    const { Budgets: left } = await new Budgets({ region }).describeBudgets({ AccountId: "123456789012" });
    expect(left).toEqual([]);
  });

  test("another name, no terminal or a wrong --confirm removes nothing", async () => {
    const before = (await run(["--stack", "gpu-lab", "--json"])).out;
    const typed = await run(["--stack", "gpu-lab", "--delete"], "gpu");
    expect([typed.status, typed.err]).toEqual([2, expect.stringContaining("Nothing was removed")]);
    expect(await refused(["--stack", "gpu-lab", "--delete"])).toContain("add --confirm gpu-lab");
    expect(await refused(["--stack", "gpu-lab", "--delete", "--confirm", "myeks"])).toContain("Must be gpu-lab");
    expect((await run(["--stack", "gpu-lab", "--json"])).out).toBe(before);
  });

  test("what has the tag of another stack is neither listed nor removed", async () => {
    const { ec2 } = orphans;
    const Tags = Object.entries(stackTags("other", "VPC")).map(([Key, Value]) => ({ Key, Value }));
    const { Vpc } = await ec2.createVpc({
      CidrBlock: "10.0.0.0/16",
      TagSpecifications: [
        { ResourceType: "vpc", Tags: [...Tags, { Key: "kubernetes.io/cluster/myeks", Value: "owned" }] },
      ],
    });
    const other = Vpc?.VpcId ?? "";
    expect((await run(["--stack", "gpu-lab"])).out).not.toContain(other);
    await run(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab", "--json"]);
    expect((await ec2.describeVpcs({ VpcIds: [other] })).Vpcs).toHaveLength(1);
  });

  test("what is only in the VPC is named with its command, and stays with what it needs", async () => {
    const { ec2, subnets, vpc } = orphans;
    const { GroupId: id } = await ec2.createSecurityGroup({ VpcId: vpc, GroupName: "mine", Description: "mine" });
    const { NetworkInterface } = await ec2.createNetworkInterface({ SubnetId: subnets[1], Description: "mine" });
    const { out, document } = await run(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab", "--json"]);
    const kept = document().leftovers.filter(({ keep }) => keep !== null);
    expect(kept.map((one) => one.id)).toEqual(
      expect.arrayContaining([id, NetworkInterface?.NetworkInterfaceId]) as string[],
    );
    const used = kept.filter(({ keep }) => keep?.startsWith("it is used by") === true);
    expect(used).toEqual([
      expect.objectContaining({
        id: subnets[1],
        keep: `it is used by network interface ${NetworkInterface?.NetworkInterfaceId}`,
      }),
      expect.objectContaining({ id: vpc, commands: [] }),
    ]);
    expect((await ec2.describeSubnets({})).Subnets?.map(({ SubnetId }) => SubnetId)).toContain(subnets[1]);
    expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
    expect(out).toContain(`aws ec2 delete-security-group --group-id ${id} --region ${region}`);
    expect((await ec2.describeSecurityGroups({ GroupIds: [id ?? ""] })).SecurityGroups).toHaveLength(1);
  });
});

const urn = (type: string, name: string) => `urn:pulumi:gpu-lab::eks-gpu-lab::lab$${type}::${name}`;
const resource = (type: string, name: string, id?: string) => ({
  ...{ urn: urn(type, name), type, custom: true },
  ...(id !== undefined && { id }),
});
const clusterType = "aws:eks/cluster:Cluster";
const groupType = "aws:eks/nodeGroup:NodeGroup";

describe("a stack that exists", () => {
  test("what the state knows, and what its cluster uses, is not left over; a second node group is", async () => {
    const { ec2, eks, cluster, group, vpc, nat, address, key } = await makeOrphans("myeks", "gpu-lab");
    const second = `${cluster}-system-2027`;
    const subnets = ["subnet-1"];
    await eks.createNodegroup({
      ...{ clusterName: cluster, nodegroupName: second, nodeRole: "arn:aws:iam::123456789012:role/nodes", subnets },
      tags: { ...stackTags("gpu-lab", "system"), "eks-gpu-lab/id": idOf("myeks") },
    });
    const known = [vpc, nat, address, key].map((id) => resource("aws:ec2/x:X", id, id));
    useStack({
      resources: [
        ...[identityOf("myeks"), ...known],
        resource(clusterType, "cluster", cluster),
        resource(groupType, "system", `${cluster}:${group}`),
      ],
    });
    const { leftovers } = (await run(["--stack", "gpu-lab", "--json"])).document();
    const ids = leftovers.filter(({ kind }) => kind !== "role").map(({ id }) => id);
    for (const id of [cluster, group, vpc, nat, address, key]) expect(ids).not.toContain(id);
    // The cluster uses its volumes, load balancers and interfaces.
    expect(kindsOf({ leftovers } as unknown as Document)).not.toEqual(
      expect.arrayContaining(["volume", "load balancer", "target group"]) as string[],
    );
    expect(leftovers.find(({ id }) => id === second)).toMatchObject({
      ...{ kind: "node group", idInState: `${cluster}:${group}`, evidence: "copy" },
      commands: [
        `aws eks delete-nodegroup --cluster-name ${cluster} --nodegroup-name ${second} --region ${region}`,
        `aws eks wait nodegroup-deleted --cluster-name ${cluster} --nodegroup-name ${second} --region ${region}`,
      ],
    });
    // An interrupted update can have left it. Somebody can have copied the tags of the first one as well.
    await run(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab", "--json"]);
    expect((await eks.listNodegroups({ clusterName: cluster })).nodegroups).toEqual([group, second]);
    expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
  });

  test("an interrupted create is adopted, with its ID; one without an object is cleared; --delete waits for both", async () => {
    const { cluster, group } = await makeOrphans("myeks", "gpu-lab");
    const release = { namespace: "gpu-operator", name: "gpu-operator" };
    const before = {
      resources: [identityOf("myeks"), resource(clusterType, "cluster", cluster)],
      pending_operations: [
        { type: "creating", resource: resource(groupType, "system") },
        { type: "creating", resource: resource("aws:ec2/natGateway:NatGateway", "nat-9") },
        { type: "creating", resource: resource("aws:eks/addon:Addon", "vpc-cni") },
        {
          type: "creating",
          resource: { ...resource("kubernetes:helm.sh/v3:Release", "operator"), inputs: release },
        },
        { type: "updating", resource: resource("aws:ec2/vpc:Vpc", "vpc", "vpc-1") },
      ],
    };
    const imported = useStack(before);
    const { document } = await run(["--stack", "gpu-lab", "--json"]);
    const command = "npx eks-gpu-lab leftovers --stack gpu-lab --adopt";
    expect(document().interrupted).toEqual({
      adopt: [
        { urn: urn(groupType, "system"), id: `${cluster}:${group}` },
        { urn: urn("kubernetes:helm.sh/v3:Release", "operator"), id: "gpu-operator/gpu-operator" },
      ],
      ...{ drop: [urn("aws:ec2/natGateway:NatGateway", "nat-9")], unknown: [urn("aws:eks/addon:Addon", "vpc-cni")] },
      unknownObjects: [{ urn: urn("aws:eks/addon:Addon", "vpc-cni"), commands: [] }],
      command,
    });
    expect((await run(["--stack", "gpu-lab"])).out).toContain(`  ${command}\n`);
    expect(await refused(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab"])).toContain(command);

    const adopted = await run(["--stack", "gpu-lab", "--adopt"]);
    expect(adopted.status).toBe(1);
    expect(adopted.out).toBe(`adopted: system as ${cluster}:${group}
adopted: operator as gpu-operator/gpu-operator
dropped: nat-9
dropped, but may exist: vpc-cni (aws:eks/addon:Addon); its cost is not known
Next: pulumi up --refresh --stack gpu-lab
`);
    const { deployment } = JSON.parse(readFileSync(imported(), "utf8")) as { deployment: StateFields };
    expect(deployment.resources).toContainEqual(resource(groupType, "system", `${cluster}:${group}`));
    // pulumi stack import removes all of them.
    expect(deployment.pending_operations).toBeUndefined();
    const copy = /^Copy of the old state: (.*\/gpu-lab-state-.*\.json)$/m.exec(adopted.err)?.[1] ?? "";
    expect(JSON.parse(readFileSync(copy, "utf8"))).toEqual({ version: 3, deployment: before });
    rmSync(copy);
  });
});

describe("two labs with the same names of stack and cluster", () => {
  const stack = ["--stack", "gpu-lab"];
  const remove = [...stack, "--delete", "--confirm", "gpu-lab", "--json"];

  test("a cluster that runs has the name and another id: what the stack left is listed, and nothing is removed", async () => {
    const { ec2, eks, vpc } = await makeOrphans("myeks", "gpu-lab");
    useStack({ resources: [identityOf("mine")] });
    const Tags = Object.entries({ ...stackTags("gpu-lab", "nat"), "eks-gpu-lab/id": idOf("mine") });
    const { AllocationId: own = "" } = await ec2.allocateAddress({
      ...{
        Domain: "vpc",
        TagSpecifications: [{ ResourceType: "elastic-ip", Tags: Tags.map(([Key, Value]) => ({ Key, Value })) }],
      },
    });
    const found = (await run(remove)).document();
    const mine = found.leftovers.find(({ id }) => id === own);
    expect(mine?.keep).toBe(
      `the cluster myeks is ACTIVE and has the id ${idOf("myeks")}, not the id of this environment: it may be in use there`,
    );
    expect(found.leftovers.filter(({ keep }) => keep === null)).toEqual([]);
    expect((await eks.listClusters({})).clusters).toEqual(["myeks"]);
    expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
  });

  test("of the other one, whose cluster is gone, nothing is listed; its own id removes it", async () => {
    const { eks, ec2, vpc, key, ...lab } = await makeOrphans("other", "gpu-lab");
    await endCluster({ eks, ...lab });
    await makeOrphans("myeks", "gpu-lab", { withClassic: false });
    useStack(ofLab);
    const ofOther = (found: Document) => found.leftovers.filter(({ owner }) => owner === idOf("other"));
    expect(ofOther((await run(remove)).document())).toEqual([]);
    expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
    const byId = ["--id", idOf("other")];
    expect(await refused([...byId, "--delete", "--confirm", "other"])).toContain("the id of the environment");
    await run([...byId, "--delete", "--confirm", idOf("other")]);
    const { KeyMetadata } = await new KMS({ region }).describeKey({ KeyId: key });
    expect(KeyMetadata?.KeyState).toBe("PendingDeletion");
    await expect(ec2.describeVpcs({ VpcIds: [vpc] })).rejects.toThrow(/does not exist/);
  });

  test("an interrupted create takes over no object of the other one, and the state has no second of it", async () => {
    await makeOrphans("second", "gpu-lab");
    useStack({
      resources: [identityOf("myeks"), resource(groupType, "system", "myeks:system")],
      pending_operations: [{ type: "creating", resource: resource("aws:ec2/vpc:Vpc", "VPC") }] as never,
    });
    const { document } = await run([...stack, "--json"]);
    expect(document().interrupted).toMatchObject({ adopt: [], drop: [urn("aws:ec2/vpc:Vpc", "VPC")] });
    expect(document().leftovers.filter((one) => one.idInState !== null || one.adopt !== null)).toEqual([]);
  });

  test("after pulumi stack rm: what runs is not listed, and what is gone is named with the command of its owner", async () => {
    await makeOrphans("myeks", "gpu-lab");
    useStack({});
    const { out } = await run(stack);
    expect(out).toContain("Nothing is left over of the stack organization/eks-gpu-lab/gpu-lab");
    expect(out.replace(/\s+/g, " ")).toContain(
      `The cluster myeks (ACTIVE) belongs to the environment ${idOf("myeks")}. None of its objects are left over.`,
    );
    const { eks, ec2, vpc, ...lab } = await makeOrphans("second", "gpu-lab", { withClassic: false });
    await endCluster({ eks, ...lab });
    const { leftovers } = (await run(remove)).document();
    expect(leftovers.filter(({ owner }) => owner !== idOf("second"))).toEqual([]);
    expect(leftovers.find(({ id }) => id === vpc)).toMatchObject({
      ...{ evidence: "other", commands: [], name: "second-VPC", owner: idOf("second") },
      keep: `it belongs to the environment ${idOf("second")}. If that is yours: npx eks-gpu-lab leftovers --id ${idOf("second")} --region ${region}`,
    });
    expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
  });

  test("objects of a version without ids are listed with their commands, and stay", async () => {
    const { eks, ec2, vpc, ...lab } = await makeOrphans("myeks", "gpu-lab", { hasId: false });
    await endCluster({ eks, ...lab });
    useStack({});
    const found = (await run(remove)).document();
    expect(found.leftovers.find(({ id }) => id === vpc)).toMatchObject({
      ...{ evidence: "former", commands: [`aws ec2 delete-vpc --vpc-id ${vpc} --region ${region}`] },
    });
    expect(found.leftovers.filter(({ keep }) => keep === null)).toEqual([]);
    expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
  });
});

test("of more roles than tags can be read, only those with the name of the cluster are searched, and the report says so", async () => {
  const { ec2: _, ...lab } = await makeOrphans("former", "gpu-lab", { withClassic: false });
  await endCluster(lab);
  const iam = new IAM({ region });
  for (let at = 0; at < 200; at++) {
    await iam.createRole({ RoleName: `other-${at}`, AssumeRolePolicyDocument: JSON.stringify({ Statement: [] }) });
  }
  useStack({});
  const { document } = await run(["--stack", "gpu-lab", "--json"]);
  expect(document().leftovers.map(({ kind }) => kind)).not.toContain("role");
  const why = "only names beginning with myeks, because reading the tags of 201 takes too many requests";
  expect(document().notes).toEqual([`roles: ${why}`]);
  expect((await run(["--stack", "gpu-lab"])).out.replace(/\s+/g, " ")).toContain(`roles: ${why}`);
});

test("what an update left before pulumi stack rename has the id, and is removed", async () => {
  const { ec2, eks, vpc, ...lab } = await makeOrphans("myeks", "former");
  await endCluster({ eks, ...lab });
  useStack(ofLab);
  await run(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab"]);
  await expect(ec2.describeVpcs({ VpcIds: [vpc] })).rejects.toThrow(/does not exist/);
});

test("a narrow report breaks no ID", async () => {
  await makeOrphans("myeks", "gpu-lab");
  useStack(ofLab);
  const { out } = await run(["--stack", "gpu-lab"], undefined, 60);
  const url = `${process.env["AWS_ENDPOINT_URL"]}/123456789012/myeks-lease-2026`;
  expect(out.split("\n").filter((line) => line.includes(url) && !line.includes("aws sqs"))).toHaveLength(1);
  expect(out).toMatch(/^ +arn:aws:elasticloadbalancing:\S+:loadbalancer\/\S+\/\w+$/m);
});

test("a stack that was removed: the message says how its leftovers are found", async () => {
  usePulumi("echo \"error: no stack named 'gpu-lab' found\" >&2; exit 255");
  const message = await refused(["--stack", "organization/eks-gpu-lab/gpu-lab"]);
  const again = "run pulumi stack init gpu-lab, then npx eks-gpu-lab leftovers --stack gpu-lab";
  expect(message).toContain(`if the stack was removed, ${again}`);
});

describe("the account", () => {
  const inAccount = (account: string) => ({
    ...resource(clusterType, "cluster", "myeks"),
    outputs: { arn: `arn:aws:eks:${region}:${account}:cluster/myeks` },
  });

  test("of other credentials than the state's is refused before anything is listed", async () => {
    useStack({ resources: [inAccount("210987654321")] });
    const aws = await awsServer({}, endpoint);
    useAws(aws.endpoint);
    const message = await refused(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab"]);
    expect(message).toContain('the AWS account: got "123456789012"');
    expect(message).toContain("The resources of the stack are in the account 210987654321");
    expect(message).toContain("pulumi config set aws:profile NAME --stack gpu-lab");
    expect(aws.operations).toEqual(["GetCallerIdentity"]);
  });

  test("is in the document, and that of another cluster of AWS is no resource of the stack", async () => {
    const read = { ...inAccount("210987654321"), external: true };
    useStack({ resources: [read, inAccount("123456789012")] });
    expect((await run(["--stack", "gpu-lab", "--json"])).document().account).toBe("123456789012");
    expect((await run(["--cluster", "none", "--region", region, "--json"])).document().account).toBe("123456789012");
  });

  test("is that of the stack's profile, which the commands name, too", async () => {
    await makeOrphans("myeks", "gpu-lab");
    useStack(ofLab, ofLab, { "aws:profile": { value: "lab" } });
    expect(await refused(["--stack", "gpu-lab"])).toContain(
      "The profile lab does not exist, or has no usable credentials",
    );
    const keys = "aws_access_key_id = AKIAIOSFODNN7LAB\naws_secret_access_key = never-printed\n";
    const credentials = join(folder({ credentials: `[lab]\n${keys}` }), "credentials");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", credentials);
    const { out } = await run(["--stack", "gpu-lab"]);
    expect(out).toMatch(/^ {2}aws ec2 delete-vpc --vpc-id vpc-\w+ --region ap-northeast-2 --profile lab$/m);
    expect(out).not.toContain("never-printed");
  });
});

test("an update that begins while the user reads the list: nothing is removed", async () => {
  const { vpc, ec2 } = await makeOrphans("myeks", "gpu-lab");
  const args = ["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab"];
  useStack(ofLab, { resources: [identityOf("myeks"), resource("aws:ec2/vpc:Vpc", "VPC", vpc)] });
  expect(await refused(args)).toContain("An update has changed the state since it was read.");
  useStack(ofLab, {
    ...ofLab,
    pending_operations: [{ type: "creating", resource: resource(groupType, "gpu") }] as never,
  });
  expect(await refused(args)).toContain("The state has interrupted creates");
  expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
});

describe("a cluster without a stack", () => {
  test("is listed by the tags of EKS and controllers, and by the names of its parts", async () => {
    const { ec2, vpc, ...lab } = await makeOrphans("myeks", undefined);
    const { document } = await run(["--cluster", "myeks", "--region", region, "--json"]);
    await endCluster(lab);
    expect(kindsOf(document())).toEqual(
      expect.arrayContaining([
        "cluster",
        "node group",
        "volume",
        "load balancer",
        "VPC",
        "NAT gateway",
        "elastic address",
      ]),
    );
    const after = (await run(["--cluster", "myeks", "--region", region, "--json"])).document();
    expect(after.leftovers.find(({ id }) => id === vpc)).toMatchObject({
      ...{ evidence: "named", keep: expect.stringContaining("it has no id of this environment") as string },
      commands: [`aws ec2 delete-vpc --vpc-id ${vpc} --region ${region}`],
    });
    const proof = "A name does not prove who created an object, so --delete needs a stack or an id.";
    expect(await refused(["--cluster", "myeks", "--region", region, "--delete", "--confirm", "myeks"])).toContain(
      proof,
    );
    expect((await ec2.describeVpcs({ VpcIds: [vpc] })).Vpcs).toHaveLength(1);
  });

  test("no command is shown while the cluster exists", async () => {
    const { cluster } = await makeOrphans("myeks", undefined);
    const args = ["--cluster", "myeks", "--region", region];
    const { status, document } = await run([...args, "--json"]);
    expect(status).toBe(1);
    expect(kindsOf(document())).toEqual(
      expect.arrayContaining(["volume", "load balancer", "network interface", "instance", "VPC"]),
    );
    expect(document().leftovers.every(({ isInUse, commands }) => isInUse && commands.length === 0)).toBe(true);
    expect((await run(args)).out.replace(/\s+/g, " ")).toContain(`used by the cluster ${cluster}, which is ACTIVE`);
  });

  test("names that begin with that of the cluster are no evidence", async () => {
    const ec2 = new EC2({ region });
    const named = async (Name: string) => {
      const TagSpecifications = [{ ResourceType: "instance" as const, Tags: [{ Key: "Name", Value: Name }] }];
      const { Instances = [] } = await ec2.runInstances({
        ...{ ImageId: "ami-12c6146b", InstanceType: "t3.medium", MinCount: 1, MaxCount: 1, TagSpecifications },
      });
      return Instances[0]?.InstanceId;
    };
    const ids = [await named("lab-2-database"), await named("lab-notebook")];
    const { document } = await run(["--cluster", "lab", "--region", region, "--json"]);
    expect(document().leftovers.filter(({ id }) => ids.includes(id))).toEqual([]);
  });

  test("wrong region: another region has nothing of it", async () => {
    await makeOrphans("myeks", undefined);
    const { document } = await run(["--cluster", "myeks", "--region", "us-west-2", "--json"]);
    expect(document().leftovers).toEqual([]);
  });
});

test("an id of another account is refused before anything is read", async () => {
  const id = idOf("x", "210987654321");
  const message = await refused(["--id", id, "--delete", "--confirm", id]);
  const why = "The environment is in the account 210987654321, but the credentials belong to the account 123456789012.";
  expect(message).toContain(why);
  expect(message).toContain("set AWS_PROFILE to a profile of the account 210987654321");
});

test.for([
  [["--id", "x"], '--id: got "x". Must be a value of the tag eks-gpu-lab/id.'],
  [["--id", idOf("x"), "--stack", "x"], "Cannot be combined with another of --stack, --id and --cluster."],
  [["--cluster", "x", "--stack", "x"], "Cannot be combined with another of --stack, --id and --cluster."],
  [["--id", idOf("x"), "--region", "us-east-1"], '--region: got "us-east-1". The environment is in ap-northeast-2.'],
  [["--id", idOf("x"), "--adopt"], "--adopt: Changes the state of a stack."],
  [["--confirm", "x"], '--confirm: got "x". Confirms --delete'],
  [["--adopt", "--delete"], "--adopt: Cannot be combined with --delete."],
] as const)("%j is wrong input, with its value", async ([args, expected]) => {
  expect(await refused(args)).toContain(expected);
});

describe("errors of AWS", () => {
  /** moto, except for these actions of EC2. */
  async function useErrors(answers: Readonly<Record<string, Answer>>): Promise<void> {
    const functions = Object.fromEntries(Object.entries(answers).map(([action, answer]) => [action, () => answer]));
    useAws((await awsServer(functions, endpoint)).endpoint);
  }

  test("a missing permission: the rest is listed, and the report says what was not read", async () => {
    await makeOrphans("myeks", undefined);
    await useErrors({ DescribeVolumes: failure("UnauthorizedOperation", 403, "You are not authorized") });
    const { status, document, out } = await run(["--cluster", "myeks", "--region", region, "--json"]);
    expect(status).toBe(1);
    expect(kindsOf(document())).not.toContain("volume");
    expect(kindsOf(document())).toContain("NAT gateway");
    expect(document().unread.find(({ what }) => what === "volumes")).toMatchObject({
      action: "ec2:DescribeVolumes",
      fix: "ask your administrator for the permission ec2:DescribeVolumes (docs/recovery.md lists all)",
    });
    expect(out).not.toContain("wJalrXUtnFEMI");
  });

  test("AWS Budgets cannot be reached or rejects the credentials: the rest is listed", async () => {
    await makeOrphans("myeks", undefined);
    const expired = failure("ExpiredTokenException", 403, "The security token included in the request is expired");
    useAws((await awsServer({ DescribeBudgets: () => expired }, endpoint)).endpoint);
    const { status, document } = await run(["--cluster", "myeks", "--region", region, "--json"]);
    expect(status).toBe(1);
    expect(kindsOf(document())).toContain("NAT gateway");
    expect(document().unread).toContainEqual(expect.objectContaining({ what: "budgets" }));
  });

  test("expired credentials end the command", async () => {
    await useErrors({ DescribeVpcs: failure("RequestExpired", 403, "Request has expired.") });
    const message = await refused(["--cluster", "myeks", "--region", region]);
    expect(message).toContain("The credentials have expired.");
  });

  test("a removal that AWS rejects is reported, and the rest is removed", async () => {
    const { ec2, vpc, ...lab } = await makeOrphans("myeks", "gpu-lab");
    await endCluster(lab);
    useStack(ofLab);
    await useErrors({ DeleteNatGateway: failure("UnauthorizedOperation", 403, "You are not authorized") });
    const { status, out } = await run(["--stack", "gpu-lab", "--delete", "--confirm", "gpu-lab"]);
    expect(status).toBe(1);
    expect(out).toMatch(/Not removed\n {2}NAT gateway nat-\w+: The identity is not allowed to do this/);
    expect(out).toMatch(/Left: 1 NAT gateway[^;]*; 1\.42 USD per day/);
    useAws(endpoint);
    await expect(ec2.describeVpcs({ VpcIds: [vpc] })).rejects.toThrow(/does not exist/);
  });
});
