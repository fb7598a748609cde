import upstream from "../../vendor/karpenter-policy.json";
import { policyDocument, type PolicyDocument, type PolicyStatement } from "../identity/policy-document";

/** What the policy names. */
export type KarpenterPlace = Readonly<
  Record<"partition" | "region" | "accountId" | "clusterName" | "nodeRoleArn" | "queueArn", string>
>;

/**
 * The permissions of Karpenter: its published policy, without the permissions to create instance profiles, because the component
 * creates the profile of the nodes, and to read zonal shifts, which are off. Each write is limited to what has the tag of the
 * cluster and of a NodePool.
 *
 * @see https://karpenter.sh/v1.14/reference/cloudformation/
 */
export function karpenterPolicy(place: KarpenterPlace): PolicyDocument {
  const placed = JSON.stringify(upstream.statements).replace(
    /\$\{(\w+)\}/g,
    (_, key: keyof KarpenterPlace) => place[key],
  );
  return policyDocument(...(JSON.parse(placed) as PolicyStatement[]));
}
