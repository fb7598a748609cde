import { InputError } from "../components/core/problems";
import { shellText } from "../components/core/text";
import { callerAccount } from "../sessions/caller";
import type { AccountPlace } from "../sessions/clients";

/** A stack, and the account of the resources in its state. */
interface Expected {
  /** The name on the command line. */
  readonly stack: string | undefined;
  /** Undefined if the state has no resource of AWS. */
  readonly account: string | undefined;
}

/**
 * Reads the account of the credentials.
 *
 * @throws AwsError; InputError if the resources of the stack are in another account
 */
export async function requireAccount(place: AccountPlace, expected: Expected): Promise<string> {
  const found = await callerAccount(place);
  refuseOtherAccount(found, place, expected);
  return found;
}

/** @throws InputError if the resources of the stack are in another account than the credentials */
export function refuseOtherAccount(found: string, { profile }: AccountPlace, { stack, account }: Expected): void {
  if (account === undefined || account === found) return;
  const whose = profile === undefined ? "the credentials" : `the profile ${profile} of aws:profile`;
  const why = `The resources of the stack are in the account ${account}, but ${whose} ${profile === undefined ? "are" : "is"} of another one.`;
  const of = stack === undefined ? "" : ` --stack ${shellText([stack])}`;
  const set = `pulumi config set aws:profile NAME${of}`;
  const fix =
    profile === undefined
      ? `set AWS_PROFILE to a profile of the account ${account}, or write it into the stack: ${set}`
      : `correct the profile ${profile} in your AWS configuration, or choose another one: ${set}`;
  throw new InputError(stack === undefined ? "the stack" : `stack ${stack}`, [
    { code: "not-allowed", path: "the AWS account", got: found, why, fix },
  ]);
}
