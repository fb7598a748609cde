import type { AccountPlace } from "../../aws/aws-error";
import { defaultRegion, awsClients } from "../../aws/clients";
import { InputError } from "../../components/core/problems";
import { isRegion } from "../../components/core/region";
import { shellText } from "../../components/core/text";
import type { StackConfig } from "../../planner/program/stack-config";
import { regionOf } from "../../planner/stack-region";

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
 * @throws InputError if none of them states one, or if it is not a name of a region
 */
export async function requireRegion({ option, stack, profile }: RegionSources): Promise<string> {
  const region = option ?? stack ?? (await defaultRegion(profile === undefined ? {} : { profile }));
  if (region !== undefined && isRegion(region)) return region;
  const path = option !== undefined ? "--region" : stack !== undefined ? "aws:region" : sourceOf(region);
  const why =
    region === undefined
      ? "The region is missing: it is not set on the command line, in the stack, in AWS_REGION or in your AWS profile."
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

/** A stack, and the account of the resources in its state. */
interface Expected {
  /** The name on the command line. */
  readonly stack: string | undefined;
  /** Undefined if the state has no resource of AWS. */
  readonly account: string | undefined;
}

/**
 * Reads the account of the credentials. Every identity may ask for it.
 *
 * @throws AwsError; InputError if the resources of the stack are in another account
 */
export async function requireAccount(place: AccountPlace, expected: Expected): Promise<string> {
  const aws = awsClients(place);
  const { Account: found = "" } = await aws.ask("sts:GetCallerIdentity", {});
  refuseOtherAccount(found, place, expected);
  return found;
}

/** @throws InputError if the resources of the stack are in another account than the credentials */
export function refuseOtherAccount(found: string, { profile }: AccountPlace, { stack, account }: Expected): void {
  if (account === undefined || account === found) return;
  const set = `pulumi config set aws:profile NAME${stack === undefined ? "" : ` --stack ${shellText([stack])}`}`;
  const [whose, fix] =
    profile === undefined
      ? [
          "the credentials belong",
          `set AWS_PROFILE to a profile of the account ${account}, or write it into the stack: ${set}`,
        ]
      : [
          `the profile ${profile} in aws:profile belongs`,
          `correct the profile ${profile} in your AWS configuration, or choose another one: ${set}`,
        ];
  const why = `The resources of the stack are in the account ${account}, but ${whose} to another one.`;
  throw new InputError(stack === undefined ? "the stack" : `stack ${stack}`, [
    { code: "not-allowed", path: "the AWS account", got: found, why, fix },
  ]);
}

/** The region of a stack, and the profile of its configuration; without one, the user's ordinary credentials apply. */
export function placeOf(stack: string, config: StackConfig): AccountPlace {
  const profile = config.values["aws:profile"] || undefined;
  return { region: regionOf(stack, config), page: "docs/preflight.md", profile };
}
