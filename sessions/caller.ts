import { asked } from "./aws-error";
import { awsClients, type AccountPlace } from "./clients";

/**
 * The ID of the account whose credentials are used. Every identity may ask for it.
 *
 * @throws AwsError
 */
export async function callerAccount(place: AccountPlace): Promise<string> {
  const sts = await awsClients(place).sts();
  const at = { ...place, cluster: "", group: "" };
  const { Account: account = "" } = await asked(at, "sts:GetCallerIdentity", () => sts.getCallerIdentity({}));
  return account;
}
