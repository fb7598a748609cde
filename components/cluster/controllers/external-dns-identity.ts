import { getPartitionOutput } from "@pulumi/aws/getPartition";
import * as pulumi from "@pulumi/pulumi";
import { join, keysOf, matching, noObject, onlyKeys } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { isOutput } from "../../core/outputs";
import { childOptions } from "../../core/options";
import { refuse, type Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { token, type Tags, tagsProblems } from "../../core/tokens";
import { transformProblems } from "../../core/transform";
import {
  WorkloadIdentity,
  workloadIdentityTransformKeys,
  type WorkloadIdentityTransform,
} from "../identity/workload-identity";
import { externalDnsPolicy } from "./external-dns-policy";

export interface ExternalDnsIdentityArgs {
  readonly clusterName: pulumi.Input<string>;
  /**
   * Ids of the Route 53 hosted zones whose records ExternalDNS may change, or "all" of the account.
   *
   * @default [] - none: it reads, and changes no name until a zone is given
   */
  readonly hostedZoneIds?: readonly pulumi.Input<string>[] | "all";
  /**
   * Tags of the role and the association.
   *
   * @default {} - only the Name
   */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the underlying resources.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: WorkloadIdentityTransform;
}

export const externalDnsIdentityDefaults = { hostedZoneIds: [], tags: {} } as const;

/** As the EKS add-on external-dns has it. */
const place = { namespace: "external-dns", serviceAccount: "external-dns" } as const;

const argsKeys = keysOf<ExternalDnsIdentityArgs>({
  clusterName: true,
  hostedZoneIds: true,
  tags: true,
  transform: true,
});

/** Every problem of the arguments. Values that are known only later are not checked. */
export function externalDnsIdentityProblems(args: ExternalDnsIdentityArgs, at = ""): Problem[] {
  if (!isRecord(args)) return noObject(at, args);
  return [
    ...onlyKeys(at, args, argsKeys),
    ...tagsProblems(join(at, "tags"), args.tags),
    ...hostedZoneProblems(join(at, "hostedZoneIds"), args.hostedZoneIds ?? []),
    ...transformProblems(join(at, "transform"), args.transform, workloadIdentityTransformKeys),
  ];
}

function hostedZoneProblems(path: string, got: unknown): Problem[] {
  if (got === "all") return [];
  const fix = `set ${path} to ids such as "Z0123456789ABCDEFGHIJ", or to "all"`;
  if (!Array.isArray(got)) {
    return [{ code: "wrong-type", path, got, why: 'It must be a list of hosted zone ids, or "all".', fix }];
  }
  const form = "the id of a hosted zone: Z and capital letters or digits, without /hostedzone/";
  return got.flatMap((id: unknown, index) =>
    isOutput(id) ? [] : matching(`${path}[${index}]`, id, /^Z[A-Z0-9]{1,31}$/, form, fix),
  );
}

/**
 * Gives ExternalDNS its role; the EKS add-on external-dns is what installs it. Make the add-on after this component:
 * its pods would start without credentials otherwise.
 *
 * @cost Nothing: IAM roles and Pod Identity associations are free.
 * @throws InputError with every problem of the arguments, before any resource is made
 */
export class ExternalDnsIdentity extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  /** What must be there before the add-on is made. */
  readonly ready: pulumi.Resource[];

  constructor(name: string, args: ExternalDnsIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    refuse(`ExternalDnsIdentity "${name}"`, externalDnsIdentityProblems(args));
    const { transform = {}, ...stated } = args;
    const settings = withDefaults(stated, externalDnsIdentityDefaults);
    super(token("ExternalDnsIdentity"), name, settings, opts);
    const { clusterName, tags } = settings;

    const { partition } = getPartitionOutput({}, { parent: this });
    const hostedZoneIds = pulumi.output(settings.hostedZoneIds as pulumi.Input<pulumi.Input<string>[] | "all">);
    const policy = pulumi.output({ partition, hostedZoneIds }).apply(externalDnsPolicy);
    const identity = new WorkloadIdentity(
      name,
      { ...place, clusterName, policy, tags, transform },
      childOptions(this, opts),
    );

    this.roleArn = identity.roleArn;
    this.ready = identity.ready;
    this.registerOutputs({ roleArn: this.roleArn });
  }
}
