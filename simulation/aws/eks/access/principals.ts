import type { World } from "../../../world/world";
import { arn, shown } from "../../values";
import { uuidFor } from "../hashes";

/**
 * The IAM principal behind a caller: an access entry names the role of a session, not the session.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
 */
export function principalOf(callerArn: string): string {
  const session = /^(arn:[^:]+):sts::(\d+):assumed-role\/([^/]+)\//.exec(callerArn);
  return session ? `${session[1]}:iam::${session[2]}:role/${session[3]}` : callerArn;
}

/** The access policy that makes an admin of a whole cluster. */
export function adminPolicyArn({ account }: World): string {
  return `arn:${account.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
}

/** `arn:aws:eks:…:access-entry/<cluster>/user/<account>/<name>/<uuid>` */
export function entryArn(world: World, clusterName: string, principalArn: string): string {
  const [, account, kind, name] = /^arn:[^:]+:iam::(\d+):(role|user)\/(?:.*\/)?([^/]+)$/.exec(principalArn) ?? [];
  const owner = `${shown(kind)}/${shown(account)}/${shown(name)}`;
  return arn(world, "eks", `access-entry/${clusterName}/${owner}/${uuidFor(world, principalArn)}`);
}
