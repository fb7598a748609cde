import { expect, test } from "vitest";
import { Provider } from "@pulumi/kubernetes/provider";
import { LabLease } from "../../../components/lease/lab-lease";
import { NodePoolLease } from "../../../components/lease/node-pool-lease";
import type { NodePoolLeaseArgs } from "../../../components/lease/node-pool-lease-schema";
import { leasesOf } from "../../../planner/facts/leases";
import { indexOf } from "../../../planner/facts/resource-index";
import { renderJson } from "../../../planner/report/json";
import { leaseRows } from "../../../planner/report/gpu-facts";
import { renderMarkdown } from "../../../planner/report/markdown";
import { renderText } from "../../../planner/report/text";
import { inDays } from "../../../components/core/faults";
import { unknownSentinel as unknown } from "../../../components/core/wire";
import { plan } from "../../support/plan";
import { planOf, recordingOf, type ResourceSpec } from "../recordings";

/** A lease that the offline plan records. */
function leaseOf(args: Partial<ConstructorParameters<typeof LabLease>[1]>) {
  const nodeGroups = { a: { nodeGroupName: "train-1", maxSize: 2 }, b: { nodeGroupName: "serve-1", maxSize: 1 } };
  return plan(() => void new LabLease("lease", { clusterName: "lab", nodeGroups, ...args }));
}

const lease: ResourceSpec = { type: "eks-gpu-lab:index:LabLease", name: "lease", component: true };
const schedule = (name: string, inputs: Record<string, unknown>): ResourceSpec => ({
  ...{ type: "aws:scheduler/schedule:Schedule", name, parent: "lease", inputs },
});
const rowsOf = (...specs: ResourceSpec[]) =>
  leasesOf(indexOf(recordingOf(specs))).map((one) => Object.fromEntries(leaseRows(one)) as Record<string, string>);

test("a lease with all of its times, once for two groups", async () => {
  const end = inDays(30, new Date());
  const recording = await leaseOf({
    nightly: "23:05",
    timeZone: "Europe/Berlin",
    hours: 1,
    expiresAt: `${end}T18:00Z`,
  });
  const text = renderText(planOf(recording), { colors: false, columns: 100 });
  expect(text).toContain(
    [
      "Lease  lease",
      "  nightly    every day at 23:05 Europe/Berlin",
      "  hours      1 hour after the last gpu up",
      `  expiresAt  ${end}T18:00:00Z`,
      "  sets to 0  desired and min of train-1, serve-1",
      "  failures   an alarm in CloudWatch, without a message to you: alarmTopicArns is empty",
      "",
    ].join("\n"),
  );
  const comment = renderMarkdown(planOf(recording));
  expect(comment).toContain("#### Lease lease\n");
  expect(comment).toContain("| nightly | every day at 23:05 Europe/Berlin |");
  expect(renderJson(planOf(recording)).leases).toMatchObject([
    {
      ...{ name: "lease", hours: 1, nodeGroups: ["train-1", "serve-1"] },
      times: [
        { by: "nightly", expression: "cron(5 23 * * ? *)", timeZone: "Europe/Berlin" },
        { by: "expiresAt", expression: `at(${end}T18:00:00)`, timeZone: "UTC", text: `${end}T18:00:00Z` },
      ],
    },
  ]);
});

test("times that a lease does not have are named", async () => {
  const recording = await leaseOf({ nightly: "none", expiresAt: inDays(3, new Date()) });
  const [one] = leasesOf(indexOf(recording)).map((each) => Object.fromEntries(leaseRows(each)) as object);
  expect(one).toMatchObject({ nightly: "none", hours: "none" });
  const nightly = leasesOf(indexOf(await leaseOf({})));
  expect(nightly.flatMap((each) => leaseRows(each))).toContainEqual(["expiresAt", "none: the lease has no end"]);
});

test("without topics, plan and preview say that no message is sent, and how to get one", async () => {
  const messages = async (args: object) => {
    const { diagnostics, ...recording } = await leaseOf(args);
    const [rows = []] = leasesOf(indexOf({ diagnostics, ...recording })).map(leaseRows);
    return [Object.fromEntries(rows)["failures"], diagnostics.map(({ message }) => message).join()] as const;
  };
  const [silent, info] = await messages({});
  expect(silent).toBe("an alarm in CloudWatch, without a message to you: alarmTopicArns is empty");
  expect(info).toContain("The lease does not send you a message if it cannot terminate the GPU nodes");
  expect(info).toContain(
    "aws sns subscribe --region ap-northeast-2 --topic-arn ARN --protocol email --notification-endpoint ADDRESS",
  );
  const alarmTopicArns = ["arn:aws:sns:ap-northeast-2:123456789012:labs"];
  expect(await messages({ alarmTopicArns })).toEqual(["an alarm in CloudWatch, with 1 message by SNS", ""]);
});

test("what is known only after the update is readable", () => {
  const nodeGroup: ResourceSpec = { type: "aws:eks/nodeGroup:NodeGroup", name: "gpu" };
  const nodeGroups = { gpu: { nodeGroupName: unknown, maxSize: 2 } };
  const later = schedule("lease-end-gpu", { scheduleExpression: unknown, scheduleExpressionTimezone: "UTC" });
  const zone = schedule("lease-nightly-gpu", {
    scheduleExpression: "cron(0 22 * * ? *)",
    scheduleExpressionTimezone: unknown,
  });
  const specs = [nodeGroup, { ...lease, inputs: { nodeGroups }, from: { nodeGroups: ["gpu"] } }, later, zone];
  const after = "known after the update";
  expect(rowsOf(...specs)).toEqual([
    {
      ...{ nightly: after, hours: "none", expiresAt: after, "sets to 0": "desired and min of gpu" },
      failures: `an alarm in CloudWatch, with messages ${after}`,
    },
  ]);
  expect(rowsOf({ ...lease, inputs: { nodeGroups: unknown } })).toMatchObject([
    { "sets to 0": "desired and min of node groups known after the update" },
  ]);
});

test("a schedule that a transform has changed is shown as it is", () => {
  const changed = schedule("lease-nightly-gpu", { scheduleExpression: "cron(0 22 ? * 2-6 *)" });
  expect(rowsOf(lease, changed)).toMatchObject([{ nightly: "cron(0 22 ? * 2-6 *) UTC" }]);
});

test("a plan without a lease has no such section", () => {
  const recording = recordingOf([{ type: "aws:s3/bucket:Bucket", name: "b" }]);
  expect(renderText(planOf(recording), { colors: false, columns: 100 })).not.toContain("Lease");
  expect(renderJson(planOf(recording)).leases).toEqual([]);
});

/** A lease of NodePools that the offline plan records. */
const poolLease = (args: Omit<NodePoolLeaseArgs, "nodePools">) =>
  plan(() => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    return new NodePoolLease("ends", { nodePools: ["gpu", "big"], ...args }, { provider });
  });

test("a lease of NodePools says who hears that it failed, in the cluster and outside", async () => {
  const failures = async (secondLine?: NodePoolLeaseArgs["secondLine"]) => {
    const [lease] = leasesOf(indexOf(await poolLease(secondLine ? { secondLine } : {})));
    return Object.fromEntries(lease ? leaseRows(lease) : [])["failures"];
  };
  const later = "a failed Job in the cluster; 75 minutes later, if instances are left,";
  expect(await failures()).toBe("a failed Job in the cluster");
  expect(await failures({ clusterName: "lab" })).toBe(
    `${later} an alarm in CloudWatch, without a message to you: alarmTopicArns is empty`,
  );
  const alarmTopicArns = ["arn:aws:sns:ap-northeast-2:123456789012:labs"];
  expect(await failures({ clusterName: "lab", alarmTopicArns })).toBe(
    `${later} an alarm in CloudWatch, with 1 message by SNS`,
  );
});

test("a lease of NodePools ends them in the cluster, at its own times", async () => {
  const end = inDays(30, new Date());
  const recording = await poolLease({ nightly: "23:05", timeZone: "Europe/Berlin", expiresAt: end });
  const [lease, ...others] = leasesOf(indexOf(recording));
  expect(others).toEqual([]);
  expect(lease).toMatchObject({
    ...{ name: "ends", nodePools: ["gpu", "big"], nodeGroups: [] },
    times: [
      { by: "nightly", expression: "5 23 * * *", timeZone: "Europe/Berlin", text: "every day at 23:05 Europe/Berlin" },
      { by: "expiresAt", timeZone: "Etc/UTC", text: `${inDays(31, new Date())}T00:00:00Z` },
    ],
  });
  expect(lease && leaseRows(lease)).toContainEqual([
    "sets to 0",
    "the GPU limit of gpu, big, then deletes its NodeClaims",
  ]);
});
