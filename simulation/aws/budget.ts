import type { Properties } from "../../components/core/wire";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { CloudError } from "../cloud/errors";
import type { Request, ResourceModel } from "../cloud/model";
import { types } from "./types";
import { checkWords, computedDefaults, nameFor, recomputesTags, stringOf } from "./values";

/** Values that the provider accepts, as the API has them. */
export const budgetWords = {
  budgetType: [
    ...["USAGE", "COST", "RI_UTILIZATION", "RI_COVERAGE", "SAVINGS_PLANS_UTILIZATION", "SAVINGS_PLANS_COVERAGE"],
  ],
  timeUnit: ["DAILY", "MONTHLY", "QUARTERLY", "ANNUALLY", "CUSTOM"],
} as const;

/** The same for the inputs of a notification. */
export const notificationWords = {
  comparisonOperator: ["GREATER_THAN", "LESS_THAN", "EQUAL_TO"],
  notificationType: ["ACTUAL", "FORECASTED"],
  thresholdType: ["PERCENTAGE", "ABSOLUTE_VALUE"],
} as const;

/** Notifications of a budget, email addresses of a notification, and its SNS topics. */
const most = { notifications: 10, emails: 10, topics: 1 } as const;

/**
 * A budget. The simulation sends no notification.
 *
 * @see https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CreateBudget.html
 */
export const budget: ResourceModel = {
  type: types.budget,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 100 },
  defaults: { timePeriodEnd: "2087-06-15_00:00" },
  required: ["budgetType", "timeUnit"],
  check: (inputs) => [
    ...checkWords(budgetWords, inputs),
    ...notificationsIn(inputs).flatMap((one, index) =>
      checkWords(notificationWords, one, `notifications[${index}].`, true),
    ),
  ],
  unique: ({ name }) => {
    if (name === undefined) return undefined;
    const message = `Error creating budget: ${stringOf(name)} - the budget already exists.`;
    return { key: stringOf(name), error: new CloudError("DuplicateRecordException", message) };
  },
  id: ({ cloud, inputs }, serial) => `${accountOf(cloud, inputs)}:${nameFor(inputs, serial)}`,
  recomputes: recomputesTags,
  computed: ({ cloud, inputs }, id, old) => {
    const name = id.slice(id.indexOf(":") + 1);
    const accountId = accountOf(cloud, inputs);
    const timePeriodStart = old?.["timePeriodStart"] ?? `${cloud.date.toISOString().slice(0, 7)}-01_00:00`;
    return {
      ...computedDefaults(inputs, { accountId, name, timePeriodStart }),
      tagsAll: inputs["tags"] ?? {},
      arn: `arn:${cloud.account.partition}:budgets::${accountId}:budget/${name}`,
    };
  },
  validateCreate: rejectBudget,
  validateUpdate: rejectBudget,
};

function accountOf(cloud: Request["cloud"], { accountId }: Properties): string {
  return accountId === undefined ? cloud.account.accountId : stringOf(accountId);
}

function notificationsIn(inputs: Properties): Properties[] {
  return valuesAt(inputs, "notifications[*]").filter(isRecord);
}

function rejectBudget({ inputs }: Request): CloudError | undefined {
  const name = nameFor(inputs, "00000000");
  const invalid = (message: string) => new CloudError("InvalidParameterException", message);
  if (!/^[^:\\]{1,100}$/.test(name) || name.includes("/action/")) {
    return invalid(`Value '${name}' at 'budget.budgetName' failed to satisfy constraint`);
  }
  const { limitAmount, plannedLimits, autoAdjustData } = inputs;
  if (limitAmount === undefined && plannedLimits === undefined && autoAdjustData === undefined) {
    return invalid("A budget needs a limit, planned limits or an automatic adjustment.");
  }
  if (limitAmount !== undefined && !/^([0-9]*\.)?[0-9]+$/.test(stringOf(limitAmount))) {
    return invalid(`Value '${stringOf(limitAmount)}' at 'budget.budgetLimit.amount' failed to satisfy constraint`);
  }
  const notifications = notificationsIn(inputs);
  if (notifications.length > most.notifications) return tooMany("notifications", most.notifications);
  return notifications.map(rejectNotification).find((error) => error !== undefined);
}

function rejectNotification(notification: Properties): CloudError | undefined {
  const emails = valuesAt(notification, "subscriberEmailAddresses[*]");
  const topics = valuesAt(notification, "subscriberSnsTopicArns[*]");
  if (emails.length + topics.length === 0) {
    return new CloudError("InvalidParameterException", "A notification must have at least one subscriber.");
  }
  if (emails.length > most.emails) return tooMany("email subscribers of a notification", most.emails);
  return topics.length > most.topics ? tooMany("SNS subscribers of a notification", most.topics) : undefined;
}

function tooMany(what: string, limit: number): CloudError {
  return new CloudError("CreationLimitExceededException", `The limit of ${what} is ${limit}.`);
}
