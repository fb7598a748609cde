import { allow, policyDocument, type PolicyDocument } from "../identity/policy-document";

export interface ExternalDnsPolicyArgs {
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  /** Ids of the hosted zones whose records may change, or "all" of the account. */
  readonly hostedZoneIds: readonly string[] | "all";
}

/**
 * What ExternalDNS may do: list all zones and their records, and change those of the zones that are named.
 *
 * @see https://github.com/kubernetes-sigs/external-dns/blob/v0.21.0/docs/tutorials/aws.md
 */
export function externalDnsPolicy({ partition, hostedZoneIds }: ExternalDnsPolicyArgs): PolicyDocument {
  const ids = hostedZoneIds === "all" ? ["*"] : hostedZoneIds;
  const zones = ids.map((id) => `arn:${partition}:route53:::hostedzone/${id}`);
  return policyDocument(
    allow("Read", reads, "*"),
    ...(zones.length > 0 ? [allow("ChangeRecords", ["route53:ChangeResourceRecordSets"], zones)] : []),
  );
}

/** It lists the records of every zone that its filters leave, so these are not tied to zones. */
const reads = [
  "route53:ListHostedZones",
  "route53:ListResourceRecordSets",
  "route53:ListTagsForResource",
  "route53:ListTagsForResources",
];
