import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { queryApi } from "./query-api";
import type { ServiceApi } from "./account-server";

/** The API of STS: whose credentials these are. */
export function stsApi(cloud: SimulatedCloud): ServiceApi {
  const { accountId: Account, caller: Arn } = cloud.account;
  const actions = { GetCallerIdentity: () => ({ Account, Arn, UserId: "AIDA00000000000000001" }) };
  return queryApi(cloud, { namespace: "https://sts.amazonaws.com/doc/2011-06-15/", actions });
}
