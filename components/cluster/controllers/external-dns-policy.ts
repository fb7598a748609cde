import { allow, policyDocument, type PolicyDocument } from "../identity/policy-document";

export interface ExternalDnsPolicyArgs {
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  /** Ids of the hosted zones whose records may change, or "all" of the account. */
  readonly hostedZoneIds: readonly string[] | "all";
}

/**
 * The permissions of ExternalDNS: to list all zones and their records, and to change the records of the named zones.
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

/** ExternalDNS lists the records of every zone that passes its filters, so these actions are not limited to zones. */
const reads = [
  "route53:ListHostedZones",
  "route53:ListResourceRecordSets",
  "route53:ListTagsForResource",
  "route53:ListTagsForResources",
];
