import { describe, expect, test } from "vitest";
import { budget, budgetWords, notificationWords } from "../../../simulation/aws/budget";
import { types } from "../../../simulation/aws/types";
import { missingModels, modelProblems } from "../../support/aws-models";
import { answer, newCloud } from "./support";

const notification = {
  ...{ notificationType: "ACTUAL", threshold: 80, comparisonOperator: "GREATER_THAN", thresholdType: "PERCENTAGE" },
  subscriberEmailAddresses: ["lab@example.com"],
};
const monthly = { name: "lab", budgetType: "COST", timeUnit: "MONTHLY", limitAmount: "100", limitUnit: "USD" };
const with10 = (text: string) => Array.from({ length: 10 }, (_, index) => `${text}${index}`);

test("a budget has an ARN without a region, and starts with the month", async () => {
  const made = await newCloud().create(types.budget, { ...monthly, notifications: [notification] });
  expect(made.id).toBe("123456789012:lab");
  expect(made.computed["arn"]).toBe("arn:aws:budgets::123456789012:budget/lab");
  expect(made.computed["timePeriodStart"]).toBe(`${new Date().toISOString().slice(0, 7)}-01_00:00`);
});

test("names are unique in the account", async () => {
  const cloud = newCloud();
  await cloud.create(types.budget, monthly);
  expect(await answer(cloud.create(types.budget, monthly))).toContain("DuplicateRecordException");
  await cloud.delete(types.budget, "123456789012:lab");
  expect(await answer(cloud.create(types.budget, monthly))).toBe("done");
});

test.for([
  ["with ten notifications", { notifications: with10("").map(() => notification) }, "done"],
  ["with eleven", { notifications: [...with10(""), ""].map(() => notification) }, "CreationLimitExceededException"],
  ["no subscriber", { notifications: [{ ...notification, subscriberEmailAddresses: [] }] }, "at least one subscriber"],
  [
    "with ten addresses and a topic",
    { notifications: [{ ...notification, subscriberEmailAddresses: with10("a@b.c"), subscriberSnsTopicArns: ["a"] }] },
    "done",
  ],
  [
    "with eleven addresses",
    { notifications: [{ ...notification, subscriberEmailAddresses: [...with10("a@b.c"), "d@e.f"] }] },
    "CreationLimitExceededException",
  ],
  ["with a colon in its name", { name: "lab:a" }, "budget.budgetName"],
  ["with an action in its name", { name: "lab/action/a" }, "budget.budgetName"],
  ["with a long name", { name: "a".repeat(101) }, "budget.budgetName"],
  ["with a negative limit", { limitAmount: "-1" }, "budget.budgetLimit.amount"],
  ["without a limit", { limitAmount: undefined }, "needs a limit"],
] as const)("a budget %s", async ([, inputs, expected]) => {
  const given = Object.fromEntries(
    Object.entries({ ...monthly, ...inputs }).filter(([, value]) => value !== undefined),
  );
  expect(await answer(newCloud().create(types.budget, given))).toContain(expected);
});

test("the provider checks words and required inputs", () => {
  const { check = () => [], required } = budget;
  expect(required).toEqual(["budgetType", "timeUnit"]);
  expect(check({ ...monthly, notifications: [notification] })).toEqual([]);
  const { thresholdType: _, ...incomplete } = notification;
  const notifications = [incomplete, { ...notification, notificationType: "DAILY" }];
  expect(check({ ...monthly, timeUnit: "WEEKLY", notifications }).map(({ property }) => property)).toEqual([
    ...["timeUnit", "notifications[0].thresholdType", "notifications[1].notificationType"],
  ]);
});

describe.skipIf(missingModels() !== undefined)("the words are those of the API", () => {
  const request = (changes: object, notified: object = {}) => ({
    ...{ service: "budgets", operation: "CreateBudget" },
    params: {
      AccountId: "123456789012",
      Budget: { BudgetName: "lab", BudgetType: "COST", TimeUnit: "MONTHLY", ...changes },
      NotificationsWithSubscribers: [
        {
          Notification: {
            ...{ NotificationType: "ACTUAL", ComparisonOperator: "GREATER_THAN", Threshold: 80, ...notified },
          },
          Subscribers: [{ SubscriptionType: "EMAIL", Address: "lab@example.com" }],
        },
      ],
    },
  });
  const capital = (key: string) => key.charAt(0).toUpperCase() + key.slice(1);

  test("each is accepted, and others are not", () => {
    const ofBudget = Object.entries(budgetWords).flatMap(([key, words]) =>
      words.map((word) => request({ [capital(key)]: word })),
    );
    const ofNotification = Object.entries(notificationWords).flatMap(([key, words]) =>
      words.map((word) => request({}, { [capital(key)]: word })),
    );
    expect(modelProblems([...ofBudget, ...ofNotification]).flat()).toEqual([]);
    const wrong = [request({ TimeUnit: "WEEKLY" }), request({ BudgetName: "a:b" }), request({ BudgetName: "" })];
    for (const problems of modelProblems(wrong)) expect(problems).not.toEqual([]);
  });
});
