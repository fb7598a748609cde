import type { Properties } from "../../../components/core/wire";
import type { Row } from "./row";

export const budgetRows: Readonly<Record<string, Row>> = {
  "aws:budgets/budget:Budget": {
    requests: [
      {
        ...{ service: "budgets", operation: "CreateBudget", below: "Budget" },
        members: { name: "BudgetName", tags: "/ResourceTags" },
        computed: [
          { from: [], params: () => ({ AccountId: "123456789012" }) },
          {
            from: ["limitAmount", "limitUnit"],
            params: ({ limitAmount: Amount, limitUnit: Unit }) => ({ Budget: { BudgetLimit: { Amount, Unit } } }),
          },
          { from: ["costFilters"], params: ({ costFilters }) => ({ Budget: { CostFilters: filtersOf(costFilters) } }) },
          { from: ["notifications"], params: notificationsOf },
        ],
      },
    ],
  },
};

function filtersOf(filters: unknown): Properties {
  const list = filters as readonly { readonly name: string; readonly values: readonly string[] }[];
  return Object.fromEntries(list.map(({ name, values }) => [name, values]));
}

function notificationsOf({ notifications }: Properties): object {
  const list = notifications as readonly Readonly<Record<string, unknown>>[];
  return {
    NotificationsWithSubscribers: list.map(({ subscriberEmailAddresses: emails, ...notification }) => ({
      Notification: Object.fromEntries(
        Object.entries(notification).map(([key, value]) => [key.charAt(0).toUpperCase() + key.slice(1), value]),
      ),
      Subscribers: (emails as readonly string[]).map((Address) => ({ SubscriptionType: "EMAIL", Address })),
    })),
  };
}
