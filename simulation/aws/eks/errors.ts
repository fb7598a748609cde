import { CloudError } from "../../world/cloud-error";

/** A request that EKS does not take as it is. */
export function invalid(explanation: string): CloudError {
  return new CloudError("InvalidParameterException", explanation);
}
