import { CloudError } from "../../cloud/errors";
import type { SimulatedCloud } from "../../cloud/simulated-cloud";

/**
 * The codes of throttled requests.
 * @see https://github.com/aws/aws-sdk-go-v2/blob/main/aws/retry/standard.go DefaultThrottleErrorCodes
 */
const throttled: ReadonlySet<string> = new Set([
  ...["Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException", "RequestThrottled"],
  ...["TooManyRequestsException", "ProvisionedThroughputExceededException", "TransactionInProgressException"],
  ...["RequestLimitExceeded", "BandwidthLimitExceeded", "LimitExceededException", "SlowDown"],
  ...["PriorRequestNotComplete", "EC2ThrottledException"],
]);

/** The longest time between two attempts, in seconds. @see https://pkg.go.dev/github.com/aws/aws-sdk-go-v2/aws/retry */
const longestPause = 20;

/** Repeats a request while the API throttles it, after longer and longer pauses, as the SDK of AWS does. */
export async function withRetries<T>(cloud: SimulatedCloud, most: number, act: () => T | Promise<T>): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CloudError) || !throttled.has(error.code) || retries >= most) throw error;
      await cloud.pause(Math.min(2 ** retries, longestPause));
    }
  }
}
