import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { cronScheduleProblems } from "../../../../components/workloads/probe/cron-schedule";

describe("a schedule", () => {
  test.for([
    ...["* * * * *", "*/5 * * * *", "0 6 * * 1-5", "0,30 9-17 1,15 * ?", " 59  23 31 12 6 ", "10-50/10 * * * *"],
    ...["5/15 * * * *", "0 0 1 JAN sun", "0 0 * jan-mar Mon-fri", "0 0 * 1-MAR *", "@hourly", "@midnight", "@annually"],
  ])("%j", (schedule) => expect(cronScheduleProblems("schedule", schedule)).toEqual([]));
});

describe("no schedule", () => {
  test.for([
    ["60 * * * *", '"60" is no minute: 0 to 59'],
    ["* 24 * * *", '"24" is no hour: 0 to 23'],
    ["* * 0 * *", '"0" is no day of the month: 1 to 31'],
    ["* * 32 * *", '"32" is no day of the month'],
    ["* * * 13 *", '"13" is no month: 1 to 12'],
    ["* * * 0 *", '"0" is no month'],
    ["* * * * 7", '"7" is no day of the week: 0 to 6'],
    ["* * * sun *", '"sun" is no month'],
    ["jan * * * *", '"jan" is no minute'],
    ["5-1 * * * *", '"5-1" is no minute'],
    ["*-5 * * * *", '"*-5" is no minute'],
    ["1-60 * * * *", '"1-60" is no minute'],
    ["*/0 * * * *", '"*/0" is no minute'],
    ["1, * * * *", '"1," is no minute'],
    ["-1 * * * *", '"-1" is no minute'],
    ["1.5 * * * *", '"1.5" is no minute'],
    ["1/2/3 * * * *", '"1/2/3" is no minute'],
    ["* * * *", "It must have the five fields minute, hour, day of the month, month, day of the week, or be one of"],
    ["0 * * * * *", "It must have the five fields"],
    ["TZ=UTC * * * * *", "It must have the five fields"],
    ["@every 1m", "It must have the five fields"],
    ["", "It must have the five fields"],
  ] as const)("%j: %s", ([schedule, why]) => {
    const problems = cronScheduleProblems("probe.schedule", schedule);
    expect(problems).toMatchObject([{ code: "not-allowed", path: "probe.schedule", got: schedule }]);
    expect(problems[0]?.why).toContain(why);
  });

  test("each field is told", () => {
    expect(cronScheduleProblems("schedule", "60 24 * * *").map(({ why }) => why)).toMatchInlineSnapshot(`
      [
        ""60" is no minute: 0 to 59, a range such as 0-59, or * for each.",
        ""24" is no hour: 0 to 23, a range such as 0-23, or * for each.",
      ]
    `);
  });

  test.for([5, null, {}, ["* * * * *"]])("%j is no text", (got) => {
    expect(cronScheduleProblems("schedule", got)).toMatchObject([{ code: "wrong-type", path: "schedule" }]);
  });

  test("what is known only later", () => {
    expect(cronScheduleProblems("schedule", pulumi.output("* * * * *"))).toMatchObject([{ path: "schedule" }]);
  });
});
