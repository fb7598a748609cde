import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { problemsIn } from "../../../../components/core/schema";
import { cronSchedule } from "../../../../components/workloads/probe/cron-schedule";
import { testProblems } from "../../../support/problems";

const problemsOf = (given: unknown) => problemsIn(cronSchedule(), given, "probe.schedule");

describe("a schedule", () => {
  test.for([
    ...["* * * * *", "*/5 * * * *", "0 6 * * 1-5", "0,30 9-17 1,15 * ?", " 59  23 31 12 6 ", "10-50/10 * * * *"],
    ...["5/15 * * * *", "0 0 1 JAN sun", "0 0 * jan-mar Mon-fri", "0 0 * 1-MAR *", "@hourly", "@midnight", "@annually"],
  ])("%j", (schedule) => expect(problemsOf(schedule)).toEqual([]));
});

describe("not a schedule", () => {
  const wrong = [
    ...["60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * 0 *"],
    ...["* * * * 7", "* * * sun *", "jan * * * *", "5-1 * * * *", "*-5 * * * *", "1-60 * * * *"],
    ...["*/0 * * * *", "1, * * * *", "-1 * * * *", "1.5 * * * *", "1/2/3 * * * *", "* * * *"],
    ...["0 * * * * *", "TZ=UTC * * * * *", "@every 1m", ""],
  ];

  testProblems(problemsOf, [
    ...wrong.map((schedule) => [schedule, "not-allowed probe.schedule"] as const),
    ...[5, null, {}, ["* * * * *"], pulumi.output("* * * * *")].map(
      (given) => [given, "wrong-type probe.schedule"] as const,
    ),
  ]);

  test("each wrong field is a problem", () => expect(problemsOf("60 24 * * *")).toHaveLength(2));
});
