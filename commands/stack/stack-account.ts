import { InputError } from "../../components/core/problems";
import { shellText } from "../../components/core/text";
import type { AccountPlace } from "../../aws/aws-error";
import { awsClients } from "../../aws/clients";

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
          "the credentials are",
          `set AWS_PROFILE to a profile of the account ${account}, or write it into the stack: ${set}`,
        ]
      : [
          `the profile ${profile} of aws:profile is`,
          `correct the profile ${profile} in your AWS configuration, or choose another one: ${set}`,
        ];
  const why = `The resources of the stack are in the account ${account}, but ${whose} of another one.`;
  throw new InputError(stack === undefined ? "the stack" : `stack ${stack}`, [
    { code: "not-allowed", path: "the AWS account", got: found, why, fix },
  ]);
}
