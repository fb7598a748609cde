import { EKS } from "@aws-sdk/client-eks";
import { expect, test, vi } from "vitest";
import karpenterPolicy from "../../components/vendor/karpenter-policy.json";
import { valueAt } from "../../components/core/reader/paths";
import { passTime } from "../../simulation/aws/schedule-runs";
import { types } from "../../simulation/aws/types";
import type { Exchange } from "../../simulation/http/account-server";
import type { TestWorkspace } from "../support/test-workspace";
import { exchangeProblems, missingModels } from "../support/aws-models";
import { runLeftovers } from "../../commands/leftovers/leftovers";
import { captured } from "../support/cli";
import { existing, expectNoOrphan } from "./support/cloud-and-state";
import { describeEngine, openWorkspace, ownAddress, succeeding } from "./support/engine";
import { stopAt } from "./support/intercept";
import { leftovers, serve } from "./support/leftovers";
import { seoulUsd } from "../support/prices";
import { saySkipped } from "../support/skips";

// `leftovers` on stacks that the engine has deployed, against the simulated account over HTTP, which rejects requests as AWS
// does: the order of the removals matters.

const missing = missingModels();
if (missing !== undefined) saySkipped(`skipped, requests of leftovers by the models of AWS: ${missing}`);

function expectValid(exchanges: readonly Exchange[]): void {
  vi.unstubAllEnvs();
  if (missing === undefined) expect([...new Set(exchangeProblems(exchanges))]).toEqual([]);
}

interface Listed {
  readonly leftovers: readonly { readonly kind: string; readonly id: string; readonly usdPerDay: number | null }[];
  readonly cost: { readonly usdPerDay: number };
  readonly unread: readonly object[];
  readonly removal?: {
    readonly failures: readonly { readonly kind: string; readonly why: string; readonly fix: string }[];
  };
}

const listed = async (workspace: TestWorkspace, ...args: readonly string[]) => {
  const { status, out } = await leftovers(workspace, "--json", ...args);
  return { status, ...(JSON.parse(out) as Listed) };
};

/** The id of the environment that a stack has deployed. */
function idOf({ cloud }: TestWorkspace, name = "myeks"): string {
  const cluster = cloud.find(types.cluster).find(({ id }) => id === name);
  return String(valueAt(cluster?.inputs, ["tags", "eks-gpu-lab/id"]));
}

/** The options of an environment whose state is lost. */
const byId = (id: string, ...args: readonly string[]) =>
  captured((console) => runLeftovers(["--id", id, ...args], console, { intervalMs: 10, waitMs: 5000 }));

const listedById = async (id: string, ...args: readonly string[]) => {
  const { status, out } = await byId(id, "--json", ...args);
  return { status, ...(JSON.parse(out) as Listed) };
};

/** A deployed stack whose state is lost. */
async function withoutState(onExchange?: (exchange: Exchange) => void, config: readonly string[] = []) {
  const workspace = await openWorkspace({ config: [ownAddress, ...config] });
  await succeeding(workspace.up());
  const { version, deployment } = await workspace.exportState();
  await workspace.importState({ version, deployment: { ...deployment, resources: [] } });
  return { workspace, exchanges: await serve(workspace, onExchange) };
}

describeEngine("leftovers in the simulated account", () => {
  test("an update without --adopt left a second node group: its commands are printed, and the stack can be destroyed", async () => {
    const workspace = await openWorkspace();
    const exchanges = await serve(workspace);
    const isSystem = ({ nodeGroupNamePrefix: prefix }: { readonly nodeGroupNamePrefix?: unknown }) =>
      String(prefix).includes("-system-");
    const stop = stopAt(workspace.cloud, types.nodeGroup, "after", isSystem);
    const run = workspace.start("up", { parallel: 1 });
    const [, lost = ""] = ((await stop.reached)?.id ?? "").split(":");
    run.kill("SIGKILL");
    await run.outcome;
    stop.restore();
    await workspace.cancel();
    await succeeding(workspace.up());
    const found = await listed(workspace);
    expect(found.leftovers.map(({ kind }) => kind)).toEqual(["node group", "instance", "instance"]);
    expect([found.status, found.leftovers[0]?.id, found.unread]).toEqual([1, lost, []]);
    expect(found.cost.usdPerDay).toBeCloseTo(2 * 24 * seoulUsd("t3.medium"), 1);
    // The state has the second group in the place of the first one.
    const adopted = await leftovers(workspace, "--adopt");
    expect([adopted.status, adopted.out]).toEqual([0, expect.stringContaining("dropped: gpu-lab-system\n")]);
    // It could be a copy, so the user decides.
    const { status, out } = await leftovers(workspace, "--delete", "--confirm", "gpu-lab");
    expect([status, out]).toEqual([
      1,
      expect.stringContaining(`eks delete-nodegroup --cluster-name myeks --nodegroup-name ${lost}`),
    ]);
    await new EKS({ region: "ap-northeast-2" }).deleteNodegroup({ clusterName: "myeks", nodegroupName: lost });
    await expectNoOrphan(workspace);
    await succeeding(workspace.destroy());
    expect(existing(workspace)).toEqual([]);
    expectValid(exchanges);
  });

  test("a second lab with the tag of the stack in the account: --delete removes none of it, until its own name is confirmed", async () => {
    const first = await openWorkspace();
    const second = await openWorkspace({
      config: [ownAddress, "clusterName=second", "network.cidr=10.20.0.0/16"],
      cloud: () => first.cloud,
    });
    await succeeding(second.up());
    const ofSecond = first.cloud.objects.length;
    await succeeding(first.up());
    const ofBoth = first.cloud.objects.length;
    const id = idOf(second, "second");
    const own = idOf(first);
    await serve(first);
    const { out, status } = await leftovers(first);
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^Nothing is left over of the stack [^]* 9\d resources\n$/),
    ]);
    const { version, deployment } = await first.exportState();
    await first.importState({ version, deployment: { ...deployment, resources: [] } });
    const lost = await leftovers(first, "--delete", "--confirm", "gpu-lab");
    expect(lost.out.replace(/\s+/g, " ")).toContain(`The cluster second (ACTIVE) belongs to the environment ${id}.`);
    expect(first.cloud.objects).toHaveLength(ofBoth);
    expect((await byId(own, "--delete", "--confirm", own)).status).toBe(0);
    expect(first.cloud.objects).toHaveLength(ofSecond);
    await succeeding(second.preview({ expectNoChanges: true }));
    expect((await byId(id, "--delete", "--confirm", "gpu-lab")).err).toContain(`Must be ${id}`);
    expect((await byId(id, "--delete", "--confirm", id)).status).toBe(0);
    expect(first.cloud.objects).toEqual([]);
  });

  test("--cluster of a lab that runs removes nothing", async () => {
    const workspace = await openWorkspace();
    await succeeding(workspace.up());
    await serve(workspace);
    const before = JSON.stringify(workspace.cloud.objects);
    const args = ["--cluster", "myeks", "--region", "ap-northeast-2", "--json"];
    const { status, out } = await captured((console) => runLeftovers(args, console));
    const found = JSON.parse(out) as { leftovers: object[]; notes: string[] };
    expect([status, JSON.stringify(workspace.cloud.objects), found.leftovers]).toEqual([0, before, []]);
    expect(found.notes[0]).toContain(`The cluster myeks (ACTIVE) belongs to the environment ${idOf(workspace)}.`);
  });

  test("a lost state: everything is listed with its cost, and --delete removes it in an order that AWS accepts", async () => {
    let rejected = 0;
    const { workspace, exchanges } = await withoutState(
      ({ response }) => void (rejected += response.status >= 300 ? 1 : 0),
    );
    const id = idOf(workspace);
    const found = await listedById(id);
    const kinds = new Set(found.leftovers.map(({ kind }) => kind));
    expect([...kinds]).toEqual([
      ...["schedule group", "CloudWatch alarm", "SQS queue", "node group", "add-on", "OIDC provider", "cluster"],
      ...[
        "instance",
        "launch template",
        "NAT gateway",
        "VPC endpoint",
        "elastic address",
        "security group",
        "route table",
        "subnet",
      ],
      ...["internet gateway", "VPC", "log group", "KMS key", "role"],
    ]);
    const hours = ["eks-control-plane-standard", "nat-gateway", "public-ipv4", "t3.medium", "t3.medium"];
    const hourly = hours.map(seoulUsd).reduce((sum, usd) => sum + usd);
    expect(found.cost.usdPerDay).toBeCloseTo(24 * hourly + (12 * seoulUsd("kms-key")) / 365, 1);
    const { status, removal } = await listedById(id, "--delete", "--confirm", id);
    expect([status, removal?.failures]).toEqual([0, []]);
    expect(existing(workspace)).toEqual([]);
    // Only the waits end with an error: what is gone.
    expect(rejected).toBeGreaterThan(0);
    expectValid(exchanges);
  });

  test("a lost state with Karpenter: its rules, queues and the document of the second line are removed, too", async () => {
    const karpenter = ["gpuNodes.provisioner=karpenter", "lease.nightly=22:00"];
    const { workspace, exchanges } = await withoutState(undefined, karpenter);
    // The second line of the lease may start its Automation.
    const runs = passTime(workspace.cloud, new Date(workspace.cloud.date.getTime() + 24 * 3_600_000));
    expect(runs.map(({ schedule, error }) => [schedule.split("/")[1], error])).toEqual([
      ["nightly-instances", undefined],
    ]);
    const id = idOf(workspace);
    const { leftovers: found, unread } = await listedById(id);
    const counts = ["EventBridge rule", "SSM document", "SQS queue", "schedule group", "instance profile"].map(
      (kind) => found.filter((one) => one.kind === kind).length,
    );
    expect([counts, unread]).toEqual([[karpenterPolicy.events.length + 1, 1, 2, 1, 1], []]);
    const { status, removal } = await listedById(id, "--delete", "--confirm", id);
    expect([status, removal?.failures]).toEqual([0, []]);
    // The simulated cluster does not know the kinds of Karpenter, and does not end them with itself.
    expect(existing(workspace).filter((object) => !object.startsWith("kubernetes:karpenter."))).toEqual([]);
    expectValid(exchanges);
  });

  test.for([
    ["3 times: the removal is repeated while an interface of a deleted object still ends", 3],
    ["each time: what something else uses is reported, and the rest is removed", Infinity],
  ] as const)("DependencyViolation %s", async ([, times]) => {
    let rejections = 0;
    let isLate = false;
    const { workspace, exchanges } = await withoutState(({ request, response }) => {
      // Somebody starts an instance after the account was read.
      if (!isLate && request.body.includes("Action=DeleteRouteTable")) {
        isLate = true;
        workspace.cloud.put(other);
      }
      if (!request.body.includes("Action=DeleteSubnet") || !response.body.includes("DependencyViolation")) return;
      rejections += 1;
      if (rejections === times) workspace.cloud.remove(types.instance, "i-other");
    });
    // In a public subnet, its address would block the internet gateway, too.
    const subnet = workspace.cloud.find(types.subnet).find(({ inputs }) => inputs["mapPublicIpOnLaunch"] !== true);
    const other = {
      ...{ type: types.instance, id: "i-other", computed: {} },
      inputs: { subnetId: subnet?.id, instanceType: "t3.medium", vpcSecurityGroupIds: [], tags: {} },
    };
    const id = idOf(workspace);
    const { status, removal } = await listedById(id, "--delete", "--confirm", id);
    if (times === 3) {
      expect([status, removal?.failures, rejections]).toEqual([0, [], 3]);
      expect(workspace.cloud.find(types.vpc)).toEqual([]);
    } else {
      expect([status, rejections]).toEqual([1, 5]);
      expect(removal?.failures.map(({ kind }) => kind)).toEqual(["subnet", "VPC"]);
      expect(removal?.failures[0]?.fix).toBe("remove the objects that still use it, and run the command again");
      expect(workspace.cloud.find(types.subnet).map(({ id: left }) => left)).toEqual([subnet?.id]);
      expect(workspace.cloud.find(types.role)).toEqual([]);
    }
    expectValid(exchanges);
  });
});
