import type { AnalyzedResource } from "./resource";
import type { Rule } from "./rule";
import { countOf } from "../../components/core/text";

/** In place of the name of a rule: the finding that a part of the stack is not seen. */
export const unseenRule = "unseen";

/** What rules cannot see of a resource: a message for each reason. */
export function unseenMessages({ type, unseen = [] }: AnalyzedResource, rules: readonly Rule[]): string[] {
  return unseen.flatMap(({ why, fix, types }) => {
    const isBlind = (rule: Rule) =>
      types === undefined
        ? !rule.types.includes(type)
        : rule.types.some((one) => types.some((start) => one.startsWith(start)));
    const isRead = types === undefined && rules.some((rule) => rule.types.includes(type));
    const blind = isRead ? [] : rules.filter(isBlind);
    if (blind.length === 0) return [];
    return [`cannot be judged by ${countOf(blind.length, "rule")}: ${why}\nfix: ${fix}`];
  });
}
