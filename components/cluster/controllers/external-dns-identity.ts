import * as pulumi from "@pulumi/pulumi";
import { partitionOf } from "../../core/lookups";
import { childOptions } from "../../core/options";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, resolveArgs, resolved, type GivenOf, type ValueOf } from "../../core/schema";
import { tagMap, token } from "../../core/tokens";
import { clusterName } from "../cluster-name";
import {
  WorkloadIdentity,
  workloadIdentityTransform,
  type workloadIdentitySchema,
} from "../identity/workload-identity";
import { hostedZones } from "./controller-schema";
import { allow, policyDocument, type PolicyDocument } from "../identity/policy-document";

/** Arguments of an ExternalDnsIdentity. */
export const externalDnsIdentitySchema = s.section({
  /** Name of the cluster. */
  clusterName: clusterName(),
  /**
   * Ids of the Route 53 hosted zones whose records ExternalDNS may change, or "all" of the account.
   *
   * @default [] - ExternalDNS reads records, and changes none until you set a zone
   */
  hostedZoneIds: s.optional(hostedZones(), []),
  /** Tags of the role and the association. @default {} - only Name is set */
  tags: s.optional(tagMap(), {}),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(workloadIdentityTransform),
});

export interface ExternalDnsIdentityArgs extends Readonly<GivenOf<typeof externalDnsIdentitySchema>> {}

export const externalDnsIdentityDefaults = defaultsOf(externalDnsIdentitySchema);

/** Every problem in the arguments. Outputs are not checked. */
export function externalDnsIdentityProblems(args: ExternalDnsIdentityArgs, at = ""): readonly Problem[] {
  return problemsIn(externalDnsIdentitySchema, args, at);
}

/** The namespace and service account of the EKS add-on external-dns. */
const place = { namespace: "external-dns", serviceAccount: "external-dns" } as const;

/**
 * Creates the role of ExternalDNS; the EKS add-on external-dns installs it. Create the add-on after this component:
 * otherwise its pods start without credentials.
 *
 * @cost Nothing: IAM roles and Pod Identity associations are free.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class ExternalDnsIdentity extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  /** What must exist before the add-on is created. */
  readonly ready: pulumi.Resource[];

  constructor(name: string, args: ExternalDnsIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform = {}, ...settings } = resolveArgs(
      `ExternalDnsIdentity "${name}"`,
      externalDnsIdentitySchema,
      args,
    );
    super(token("ExternalDnsIdentity"), name, settings, opts);
    const { clusterName, tags } = settings;

    const { partition } = partitionOf(this);
    const hostedZoneIds = pulumi.output(settings.hostedZoneIds as pulumi.Input<pulumi.Input<string>[] | "all">);
    const policy = pulumi.output({ partition, hostedZoneIds }).apply(externalDnsPolicy);
    const identity = new WorkloadIdentity(
      name,
      resolved<ValueOf<typeof workloadIdentitySchema>>({ ...place, clusterName, policy, tags, transform }),
      childOptions(this, opts),
    );

    this.roleArn = identity.roleArn;
    this.ready = identity.ready;
    this.registerOutputs({ roleArn: this.roleArn });
  }
}

/**
 * The permissions of ExternalDNS: to list all zones and their records, and to change the records of the named zones.
 *
 * @see https://github.com/kubernetes-sigs/external-dns/blob/v0.21.0/docs/tutorials/aws.md
 */
export function externalDnsPolicy({
  partition,
  hostedZoneIds,
}: {
  readonly partition: string;
  readonly hostedZoneIds: readonly string[] | "all";
}): PolicyDocument {
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
