import { AwsError } from "./aws-error";

/**
 * An answer of AWS, if it comes in time. The request itself goes on.
 *
 * @throws AwsError when the time is over
 */
export async function within<T>(seconds: number, action: string, request: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `AWS does not answer within ${seconds} seconds.`;
    const fix = "check the network, HTTPS_PROXY and the VPN";
    timer = setTimeout(() => reject(new AwsError("network", action, "Timeout", why, fix)), seconds * 1000);
  });
  try {
    return await Promise.race([request, late]);
  } finally {
    clearTimeout(timer);
    request.catch(() => undefined);
  }
}
