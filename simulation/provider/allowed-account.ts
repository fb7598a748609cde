import { parseJson } from "../../components/core/json-text";
import type { Properties } from "../../components/core/wire";
import type { Account } from "../cloud/simulated-cloud";

/**
 * Throws if the configuration of the provider excludes the account of its credentials.
 *
 * @see https://www.pulumi.com/registry/packages/aws/installation-configuration/ allowedAccountIds
 */
export function requireAllowedAccount(config: Properties, { accountId }: Pick<Account, "accountId">): void {
  const allowed = listOf(config["allowedAccountIds"]);
  const isForbidden = listOf(config["forbiddenAccountIds"])?.includes(accountId) === true;
  if (isForbidden || allowed?.includes(accountId) === false) {
    throw new Error(`AWS account ID not allowed: ${accountId}`);
  }
}

/** The engine sends lists of a configuration file as JSON. */
function listOf(value: unknown): readonly unknown[] | undefined {
  const list = typeof value === "string" ? parseJson(value) : value;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}
