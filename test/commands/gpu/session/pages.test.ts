import { expect, test } from "vitest";
import { scaleInput, scaleTarget } from "../../../../components/lease/lease-documents";
import { groupApi } from "../../../../commands/gpu/group-api";
import { leaseApi } from "../../../../commands/gpu/lease";
import { useAws } from "../../../support/aws-environment";
import { awsServer, expectValidExchanges, type Answers, type Params } from "../../../support/aws-server";
import { activities, instances } from "./support/answers";

// Lists of more than one page.

expectValidExchanges();

const at = { region: "ap-northeast-2", cluster: "myeks", group: "gpu" };

async function serve(answers: Answers) {
  const server = await awsServer(answers);
  useAws(server.endpoint);
  return server;
}

/** A page for each item; the token of a page is its number. */
const paged =
  (pages: readonly object[]) =>
  ({ NextToken: token = "0" }: Params) => {
    const next = Number(token) + 1;
    return { ...pages[Number(token)], ...(next < pages.length && { NextToken: String(next) }) };
  };

test("schedules of a lease with many groups: those of the last page count", async () => {
  const names = ["nightly-a", "nightly-b", "nightly-gpu"];
  const scheduleOf = (name: string) => ({
    ...{ Name: name, GroupName: "lease", State: "ENABLED" },
    ...{ ScheduleExpression: "cron(0 22 * * ? *)", ScheduleExpressionTimezone: "UTC" },
    Target: {
      ...{ Arn: scaleTarget("aws"), RoleArn: "arn:aws:iam::123456789012:role/r" },
      Input: scaleInput({ clusterName: "myeks", nodeGroupName: name.slice(8), maxSize: 2 }),
    },
  });
  const { paramsOf } = await serve({
    "GET /schedules": paged(names.map((Name) => ({ Schedules: [{ Name, GroupName: "lease" }] }))),
    ...Object.fromEntries(names.map((name) => [`GET /schedules/${name}`, () => scheduleOf(name)])),
  });
  const ends = await leaseApi(at, "lease").ends(new Date("2026-12-01T12:00:00Z"));
  expect(ends).toEqual([{ by: "nightly", at: new Date("2026-12-01T22:00:00Z") }]);
  expect(paramsOf("GET /schedules").length).toBe(3);
});

test("instances of Auto Scaling groups on several pages", async () => {
  await serve({ DescribeAutoScalingGroups: paged([instances("InService"), instances("Pending")] as object[]) });
  const found = await (await groupApi(at)).instances(["eks-gpu-1", "eks-gpu-2"]);
  expect(found.map(({ state }) => state)).toEqual(["running", "starting"]);
});

test.for([
  ["the latest page is enough without instances", [], 1],
  ["the start of an instance is on an older page", ["i-old"], 3],
  ["an instance whose start AWS no longer lists", ["i-gone"], 4],
] as const)("activities: %s", async ([, ids, count]) => {
  const pages = ["i-3", "i-2", "i-old", "i-1"].map((id) =>
    activities({ id, status: "Successful", description: `Launching a new EC2 instance: ${id}` }),
  );
  const { operations } = await serve({ DescribeScalingActivities: paged(pages as object[]) });
  const found = await (await groupApi(at)).activities(["eks-gpu-1"], ids);
  expect([found.length, operations.length]).toEqual([count, count]);
});
