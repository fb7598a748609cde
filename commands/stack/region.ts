import { isRegion } from "../../components/core/region";
import { InputError } from "../../components/core/problems";
import { defaultRegion } from "../../aws/clients";

/** Where a command may read its region, in the order of precedence. */
interface RegionSources {
  /** The value of `--region`. */
  readonly option: string | undefined;
  /** Of the state, the outputs or the configuration of the stack. */
  readonly stack?: string | undefined;
  readonly profile?: string | undefined;
}

/**
 * The region of a command: that of `--region`, of the stack, of the environment, or of the AWS profile.
 *
 * @throws InputError if none of them states one, or if it is no name of a region
 */
export async function requireRegion({ option, stack, profile }: RegionSources): Promise<string> {
  const region = option ?? stack ?? (await defaultRegion(profile === undefined ? {} : { profile }));
  if (region !== undefined && isRegion(region)) return region;
  const path = option !== undefined ? "--region" : stack !== undefined ? "aws:region" : sourceOf(region);
  const why =
    region === undefined
      ? "The region is missing: neither the command line, the stack, AWS_REGION nor your AWS profile states it."
      : "Must be the name of an AWS region.";
  const fix = option === undefined ? "add --region, e.g. --region ap-northeast-2" : "use e.g. --region ap-northeast-2";
  const code = region === undefined ? "missing" : "not-allowed";
  throw new InputError("the command line", [{ code, path, got: region, why, fix }]);
}

function sourceOf(region: string | undefined): string {
  if (region === undefined) return "--region";
  const variable = ["AWS_REGION", "AWS_DEFAULT_REGION"].find((name) => process.env[name] === region);
  return variable ?? "region of the AWS profile";
}
