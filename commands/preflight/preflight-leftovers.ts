import { InputError } from "../../components/core/problems";
import { identityType, type OwnObject } from "../../components/preflight/own-objects";
import type { Leftover as ReportedLeftover } from "../../components/preflight/preflight-facts";
import { awsClients } from "../../aws/clients";
import { adoptionCommand, awsCommands } from "../leftovers/commands";
import { findLeftovers } from "../leftovers/list";
import type { Leftover, Listing } from "../leftovers/leftover";
import type { AccountPlace } from "../../aws/aws-error";
import { gpuPodsOf } from "../gpu/nodes";
import { refuseOtherAccount } from "../stack/account";
import { readStack, type Stack } from "../stack/stack-state";

/** What AWS has with the tag of a stack and its state does not know; or why that is not known. */
export interface LeftoverReading {
  readonly leftovers?: readonly ReportedLeftover[];
  readonly why?: string;
  /** Whether AWS did not let all of it be read. @default false - the state is not there to compare with */
  readonly isUnread?: true;
  readonly notes: readonly string[];
  /** What the state has; undefined if it is not known. */
  readonly own?: readonly OwnObject[];
  /** The tag of its resources. */
  readonly stackTag?: string;
}

/**
 * Reads the leftovers of a stack. Without its state, nothing is known.
 *
 * @param at where the stack is to be, and the account of its credentials
 * @throws AwsError when credentials, region or network are wrong; InputError if the state belongs to another account
 */
export async function readLeftovers(
  name: string,
  cwd: string,
  at: AccountPlace & { readonly account: string },
): Promise<LeftoverReading> {
  const { account, ...place } = at;
  const stack = await stateOf(name, cwd);
  if ("why" in stack) return { why: `The state of the stack is not known: ${stack.why}`, notes: [] };
  const { tag, state, clusters } = stack;
  refuseOtherAccount(account, place, { stack: name, account: state.account });
  const target = { ...at, ids: [...state.environments.keys()], stack: tag, state, clusters, gpuPods: gpuPodsOf };
  const listing = await findLeftovers(awsClients({ ...place, page: "docs/recovery.md" }), target);
  const leftovers = ownOf(listing, stack);
  const known = {
    stackTag: tag,
    own: [
      ...state.resources.flatMap(({ urn, type, id }) => (id === undefined ? [] : [{ urn, type, id }])),
      ...target.ids.map((id) => ({ urn: "", type: identityType, id })),
    ],
  };
  const unread = listing.unread.map(({ what }) => what).join(", ");
  if (unread === "") return { ...known, leftovers, notes: [] };
  const why = `Not read, so there may be more: ${unread}. npx eks-gpu-lab leftovers --stack ${name} says why.`;
  return leftovers.length > 0
    ? { ...known, leftovers, notes: [`Leftovers: ${why}`] }
    : { ...known, why, isUnread: true, notes: [] };
}

async function stateOf(name: string, cwd: string): Promise<Stack | { readonly why: string }> {
  try {
    return await readStack(name, cwd);
  } catch (error) {
    if (!InputError.is(error)) throw error;
    return { why: error.problems[0]?.why ?? error.message };
  }
}

/** What has the id of the environment or the tag of the stack, and does not go with another leftover. */
function ownOf(listing: Listing, { name }: Stack): ReportedLeftover[] {
  const { leftovers } = listing;
  const ids = new Set(leftovers.map(({ id, pulumiId = id }) => pulumiId));
  const own = leftovers.filter(({ evidence, within, isEnding, isInUse }) => {
    const goesWith = within !== undefined && ids.has(within);
    return ["id", "copy", "former"].includes(evidence) && isEnding !== true && isInUse !== true && !goesWith;
  });
  return own.map((one) => {
    const { kind, id, logicalName, adopts, keep } = one;
    const usdPerDay = costOf(one, leftovers);
    const adopt = adopts && adoptionCommand(listing, name);
    return {
      // What may be another lab's is not removed by a command that is copied.
      command:
        adopt ??
        (keep === undefined ? awsCommands(one, listing).join(" && ") : `npx eks-gpu-lab leftovers --stack ${name}`),
      ...{ kind, id, logicalName, usdPerDay },
    };
  });
}

/** With what goes with it: the nodes of a node group, and their volumes. */
function costOf({ id, pulumiId = id, rate }: Leftover, all: readonly Leftover[]): number | undefined {
  const parts = all.filter(({ within }) => within === pulumiId).map((part) => costOf(part, all));
  return [rate.perDay, ...parts].reduce((sum, usd) => (sum === undefined || usd === undefined ? undefined : sum + usd));
}
