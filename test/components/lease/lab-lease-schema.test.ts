import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { labLeaseProblems, type LabLeaseArgs } from "../../../components/lease/lab-lease-schema";
import { brief, testProblems } from "../../support/problems";

const stated: LabLeaseArgs = { clusterName: "myeks", nodeGroups: { gpu: { nodeGroupName: "gpu-1", maxSize: 2 } } };
const problems = (args: object) => labLeaseProblems({ ...stated, ...args });
const groups = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`g${index}`, { nodeGroupName: "g", maxSize: 1 }]));

beforeAll(() => {
  vi.useFakeTimers({ now: new Date("2026-11-23T12:00:00Z"), toFake: ["Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});

test.for([
  {},
  { nightly: "00:00" },
  { nightly: "23:59", timeZone: "Asia/Seoul" },
  { timeZone: "America/Argentina/Buenos_Aires" },
  { timeZone: "America/Port-au-Prince" },
  // A second name of Asia/Kolkata.
  { timeZone: "Asia/Calcutta" },
  { nightly: "none", expiresAt: "2026-12-01" },
  { expiresAt: "2026-11-23" },
  { expiresAt: "2026-12-01T18:00:00+09:00" },
  { owner: "Jörg Müller@example.com" },
  { alarmTopicArns: pulumi.output(["arn"]) },
  { alarmTopicArns: ["arn:aws-us-gov:sns:us-gov-west-1:123456789012:labs", pulumi.output("")] },
  { budget: { amountPerMonth: 100, emails: ["lab@example.com"] } },
  { clusterName: pulumi.output("myeks") },
  { nodeGroups: groups(20) },
  { nodeGroups: { "g5.xlarge": { nodeGroupName: pulumi.output("gpu-1"), maxSize: 450 } } },
])("%j is accepted", (args) => {
  expect(brief(problems(args))).toEqual([]);
});

describe("rejected", () => {
  testProblems(problems, [
    [{ nightly: "22:60" }, "not-allowed nightly"],
    [{ nightly: "9:00" }, "not-allowed nightly"],
    // YAML 1.1 reads 22:00 without quotes as a number.
    [{ nightly: 1320 }, "wrong-type nightly"],
    [{ timeZone: "Asia/Seol" }, "not-allowed timeZone"],
    [{ timeZone: "asia/seoul" }, "not-allowed timeZone"],
    [{ timeZone: "+09:00" }, "not-allowed timeZone"],
    [{ timeZone: "KST" }, "not-allowed timeZone"],
    [{ expiresAt: "2026-11-22" }, "not-allowed expiresAt"],
    [{ expiresAt: "2026-11-23T11:59:59Z" }, "not-allowed expiresAt"],
    [{ expiresAt: "2027-11-25" }, "not-allowed expiresAt"],
    [{ expiresAt: "in two weeks" }, "not-allowed expiresAt"],
    [{ nightly: "none" }, "conflict nightly"],
    [{ owner: "" }, "not-allowed owner"],
    [{ lab: "gpu$lab" }, "not-allowed lab"],
    [{ alarmTopicArns: ["labs"] }, "not-allowed alarmTopicArns[0]"],
    [{ budget: { amountPerMonth: 0, emails: [] } }, ["out-of-range budget.amountPerMonth", "missing budget.emails"]],
    [{ budget: { amountPerMonth: 5, emails: ["nobody"] } }, "not-allowed budget.emails[0]"],
    [
      { budget: { amountPerMonth: 5, emails: Array.from({ length: 11 }, (_, n) => `a${n}@example.com`) } },
      "out-of-range budget.emails",
    ],
    [{ nodeGroups: {} }, "missing nodeGroups"],
    [{ nodeGroups: groups(21) }, "out-of-range nodeGroups"],
    [{ nodeGroups: { "a b": { nodeGroupName: "g", maxSize: 1 } } }, 'not-allowed nodeGroups["a b"]'],
    [{ nodeGroups: { gpu: { nodeGroupName: "g", maxSize: 0 } } }, "out-of-range nodeGroups.gpu.maxSize"],
    [{ nodeGroups: { gpu: { nodeGroupName: "", maxSize: 1 } } }, "missing nodeGroups.gpu.nodeGroupName"],
    [
      { nodeGroups: { gpu: { name: "g", maxSize: 1 } } },
      ["unknown-key nodeGroups.gpu.name", "missing nodeGroups.gpu.nodeGroupName"],
    ],
  ]);
});
