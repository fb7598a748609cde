import { InputError } from "../components/core/problems";
import { defaultRegion } from "../sessions/aws";

/**
 * The region that is stated first: by the command line, by the stack, or by the AWS environment of the user.
 *
 * @throws InputError if none is stated
 */
export async function regionFrom(...stated: readonly (string | undefined)[]): Promise<string> {
  const region = stated.find((one) => one !== undefined) ?? (await defaultRegion());
  if (region !== undefined) return region;
  const why = "The region is missing: neither the command line, the stack, AWS_REGION nor your AWS profile states it.";
  const fix = "add --region, e.g. --region ap-northeast-2";
  throw new InputError("the command line", [{ code: "missing", path: "--region", got: undefined, why, fix }]);
}
