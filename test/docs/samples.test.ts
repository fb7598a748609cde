import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { InputError } from "../../components/core/problems";
import { sessionChecks } from "../../components/preflight/preflight-checks";
import { describeLease } from "../../components/lease/lease-documents";
import type { Activity, Group, Instance } from "../../commands/gpu/group";
import type { GroupApi } from "../../commands/gpu/group-api";
import { renderResult, renderStatus } from "../../commands/gpu/report";
import { readLease, withLease, type Lease, type LeaseEnd } from "../../commands/gpu/lease";
import { readSnapshot, type Readers } from "../../commands/gpu/snapshot";
import { up } from "../../commands/gpu/up";
import { nameTag, stackTag } from "../../components/core/stack-tags";
import type { Aws } from "../../aws/clients";
import { addresses, natGateways } from "../../commands/leftovers/kinds/network";
import { renderListing } from "../../commands/leftovers/report";
import type { Leftover } from "../../commands/leftovers/leftover";

vi.mock("../../components/cost/price-table.json", () => import("../fixtures/price-table.json"));

// What the reports print, from the renderers of the program. The pages quote some of it.

const plain = { colors: false, columns: 100 };
const region = "ap-northeast-2";

/** Expects a block of the page with exactly this output. */
function expectQuoted(page: string, output: string): void {
  expect(readFileSync(page, "utf8")).toContain(`\n\`\`\`text\n${output}\`\`\`\n`);
}

const doNothing = () => Promise.resolve();

describe("docs/sessions.md", () => {
  const group: Group = {
    ...{ region, cluster: "myeks", group: "myeks-gpu", stack: "gpu-lab", status: "ACTIVE", capacityType: "ON_DEMAND" },
    ...{ instanceTypes: ["g5.xlarge"], autoScalingGroups: ["eks-gpu-1"], issues: [], subnetIds: ["subnet-1"] },
    sizes: { min: 0, max: 2, desired: 1 },
  };
  const id = "i-0123456789abcdef0";
  const running: Instance = { id, type: "g5.xlarge", zone: `${region}a`, state: "running", lifecycle: "InService" };
  const start: Activity = {
    ...{ id: "start", status: "Successful", description: `Launching a new EC2 instance: ${id}.`, message: "" },
    at: "2026-11-23T10:00:00.000Z",
  };
  const now = () => new Date("2026-11-23T12:00:00Z");
  const ends: LeaseEnd[] = [{ by: "nightly", at: new Date("2026-11-23T13:00:00Z") }];
  const lease: Lease = {
    ...{ text: describeLease({ nightly: "22:00", timeZone: "Asia/Seoul", hours: 6 }), hours: 6 },
    api: { ends: () => Promise.resolve(ends), endAt: doNothing, cancel: doNothing },
  };

  function apiOf(one: () => Group, instances: readonly Instance[], activities: () => readonly Activity[]): GroupApi {
    return {
      group: () => Promise.resolve(one()),
      instances: () => Promise.resolve(instances),
      activities: () => Promise.resolve(activities()),
      endpoint: () => Promise.resolve(""),
      template: () => Promise.resolve({ volumes: [{ sizeGiB: 100, volumeType: "gp3" }] }),
      now: () => new Date(),
      scale: () => Promise.resolve(),
    };
  }

  test("quotes gpu status of a session with one node", async () => {
    const holders = [{ pod: "default/train", gpus: 1 }];
    const readers: Readers = {
      api: apiOf(
        () => group,
        [running],
        () => [start],
      ),
      nodes: () =>
        Promise.resolve({
          nodes: [{ name: "ip-192-168-12-34.ap-northeast-2.compute.internal", ready: true, gpus: 1, holders }],
          expectsGpus: true,
        }),
      ...{ lease, now },
    };
    const snapshot = withLease(await readSnapshot(readers), await readLease(readers));
    expectQuoted("docs/sessions.md", renderStatus(snapshot, plain));
  });

  test("quotes gpu up that the quota refuses", () => {
    const request = {
      ...{
        command: "gpu up",
        clusterName: "myeks",
        instanceType: "g5.xlarge",
        vcpusPerNode: 4,
        quotaCode: "L-DB2E81BA",
      },
      ...{ azIndex: 0, maxSize: 2 },
    };
    const problems = sessionChecks.flatMap((check) => check.problems(request, { region, quotaVcpus: 4 }));
    const { message } = new InputError(`node group myeks/myeks-gpu in ${region}`, problems);
    expectQuoted("docs/sessions.md", `${message}\n`);
  });

  test("gpu up that fails for the quota says why, and what it costs", async () => {
    let desired = 0;
    const message =
      "You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket that the " +
      "specified instance type belongs to. Launching EC2 instance failed.";
    const failed = { ...start, status: "Failed", description: "Launching a new EC2 instance.", message };
    const api: GroupApi = {
      ...apiOf(
        () => ({ ...group, sizes: { ...group.sizes, desired } }),
        [],
        () => (desired > 0 ? [failed] : []),
      ),
      scale: (sizes) => Promise.resolve(void (desired = sizes.desired)),
    };
    const result = await up(
      {
        ...{ api, lease, now, nodes: () => Promise.resolve({ nodes: [], expectsGpus: false }) },
        ...{ signal: new AbortController().signal, timeoutMs: 1000, intervalMs: 1, dryRun: false },
        ...{ progress: () => undefined, warn: () => undefined },
      },
      { nodes: 1, raiseMax: () => "", renew: () => "" },
    );
    expect(result.outcome).toBe("blocked");
    expect(renderResult("up", { ...result, seconds: 20 }, plain)).toMatchInlineSnapshot(`
      "GPU node group myeks/myeks-gpu in ap-northeast-2

        size       desired 1, min 0, max 2; ACTIVE
        instances  none
        nodes      none
        cost now   0 USD per hour for GPU nodes
        lease      all GPU nodes are terminated every day at 22:00 Asia/Seoul, and 6 hours after gpu up
        next end   2026-11-23T13:00Z, in 60m (lease.nightly)

      Why nodes are missing
        The account's vCPU quota for this kind of instance is used up.
          AWS, 2026-11-23T10:00:00.000Z: You have requested more vCPU capacity than your current vCPU
          limit of 0 allows for the instance bucket that the specified instance type belongs to. Launching
          EC2 instance failed.
          Show the quotas of GPU instances. An increase takes hours to days:
            aws service-quotas list-service-quotas --region ap-northeast-2 --service-code ec2 --query "Quotas[?contains(QuotaName,'G and VT')||contains(QuotaName,' P ')||contains(QuotaName,' P4')||contains(QuotaName,' P5')].[QuotaName,Value]" --output table

      AWS does not start a node, and waiting does not help.
      The group stays at desired size 1: AWS keeps trying, and these nodes cost 1.2495 USD per hour once
      they run. To stop that:
        npx eks-gpu-lab gpu down --stack gpu-lab
      "
    `);
  });

  test("quotes gpu up after the end of the lease, and shortly before an end", async () => {
    const renew = (day: string) => `pulumi config set --path lease.expiresAt ${day} && pulumi up`;
    const warnings: string[] = [];
    const dryRun = (...all: LeaseEnd[]) =>
      up(
        {
          api: apiOf(
            () => ({ ...group, sizes: { ...group.sizes, desired: 0 } }),
            [],
            () => [],
          ),
          lease: { api: { ends: () => Promise.resolve(all), endAt: doNothing, cancel: doNothing } },
          ...{ nodes: () => Promise.resolve({ nodes: [], expectsGpus: false }), now },
          ...{ signal: new AbortController().signal, timeoutMs: 1000, intervalMs: 1, dryRun: true },
          ...{ progress: () => undefined, warn: (text: string) => void warnings.push(text) },
        },
        { nodes: 1, raiseMax: () => "", renew },
      );
    const ended = await dryRun({ by: "expiresAt", at: new Date("2026-11-20T00:00Z") }, ...ends).catch(
      (error: Error) => error.message,
    );
    expectQuoted("docs/sessions.md", `${ended as string}\n`);
    await dryRun({ by: "nightly", at: new Date("2026-11-23T12:25Z") });
    expectQuoted("docs/sessions.md", `${warnings.join("\n")}\n`);
  });
});

test("the list of leftovers of a failed destroy has their cost and the commands", async () => {
  const tagsOf = (name: string) => [
    { Key: stackTag, Value: "organization/eks-gpu-lab/gpu-lab" },
    { Key: nameTag, Value: name },
  ];
  const nat = {
    ...{ NatGatewayId: "nat-0123456789abcdef0", State: "available", Tags: tagsOf("gpu-lab-vpc-nat-1") },
    CreateTime: new Date("2026-11-20T09:00:00Z"),
  };
  const address = {
    ...{ AllocationId: "eipalloc-0123456789abcdef0", PublicIp: "198.51.100.7", AssociationId: "eipassoc-1" },
    Tags: tagsOf("gpu-lab-vpc-nat-1-address"),
  };
  const ec2 = {
    describeNatGateways: () => Promise.resolve({ NatGateways: [nat] }),
    describeAddresses: () => Promise.resolve({ Addresses: [address] }),
  };
  const aws = { region, ec2: () => Promise.resolve(ec2) } as unknown as Aws;
  const stack = "organization/eks-gpu-lab/gpu-lab";
  const leftovers: Leftover[] = [];
  for (const { kind, read } of [natGateways, addresses]) {
    const found = await read(aws, {
      region,
      ids: [],
      stack,
      vpcs: [],
      clusters: [],
      existing: () => Promise.resolve([]),
      note: () => undefined,
    });
    leftovers.push(
      ...found.map((one) => ({ ...one, kind, evidence: "id" as const, logicalName: one.tags[nameTag] ?? "" })),
    );
  }
  const state = {
    isEmpty: true,
    ids: new Set<string>(),
    environments: new Map(),
    resources: [],
    pending: [],
    clusters: [],
  };
  const account = "123456789012";
  const listing = {
    region,
    account,
    ids: [],
    stack,
    clusters: ["myeks"],
    state,
    leftovers,
    identified: [],
    unfinished: [],
    unread: [],
    notes: [],
  };
  expect(renderListing(listing, "gpu-lab", plain)).toMatchInlineSnapshot(`
    "Left over: 1 NAT gateway, 1 elastic address of the stack organization/eks-gpu-lab/gpu-lab in
    ap-northeast-2 of the account 123456789012; its state is empty

      kind             since       USD per day  ID, name and state
      NAT gateway      2026-11-20         1.42  nat-0123456789abcdef0 (available); of gpu-lab-vpc-nat-1;
                                                owner: this environment, by its id
      elastic address                     0.12  eipalloc-0123456789abcdef0 (198.51.100.7, in use); of
                                                gpu-lab-vpc-nat-1-address; owner: this environment, by
                                                its id

    Total: 1.54 USD per day without traffic; prices of 2026-11-21

    Commands that remove them, in this order
      aws ec2 delete-nat-gateway --nat-gateway-id nat-0123456789abcdef0 --region ap-northeast-2
      aws ec2 wait nat-gateway-deleted --nat-gateway-ids nat-0123456789abcdef0 --region ap-northeast-2
      aws ec2 release-address --allocation-id eipalloc-0123456789abcdef0 --region ap-northeast-2
    "
  `);
});
