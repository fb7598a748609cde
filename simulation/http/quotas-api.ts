import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./account-server";
import { jsonApi } from "./json";

/** The API of Service Quotas: the applied quotas, which are also those of AWS. */
export function quotasApi(cloud: SimulatedCloud): ServiceApi {
  return jsonApi({
    GetServiceQuota: ({ ServiceCode: serviceCode, QuotaCode: quotaCode }) => {
      const found = cloud.call("aws:servicequotas/getServiceQuota:getServiceQuota", { serviceCode, quotaCode });
      const { arn: QuotaArn, adjustable: Adjustable, value: Value } = found;
      return { Quota: { ServiceCode: serviceCode, QuotaCode: quotaCode, QuotaArn, Adjustable, Value } };
    },
  });
}
