import { AccessEntry, type AccessEntryArgs } from "@pulumi/aws/eks";
import * as iam from "@pulumi/aws/iam";
import type { Release } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { accountIdOf, partitionOf, regionOf } from "../../core/lookups";
import { childOptions } from "../../core/options";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import type { Problem } from "../../core/problems";
import { withoutUndefined } from "../../core/reader/records";
import { s, defaultsOf, problemsIn, resolveArgs, type GivenOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed, transformOf, type Transform } from "../../core/transform";
import { karpenterChart as chart } from "../../core/versions";
import { makeNodeRole } from "../identity/node-role";
import { iamNamePrefix } from "../identity/policy-document";
import { makeController, systemNodes } from "./controller-release";
import { controllerEntries, controllerTransformKeys, type ControllerTransform } from "./controller-schema";
import { karpenterPolicy } from "./karpenter-policy";
import { makeInterruptionQueue, type KarpenterQueueTransform } from "./karpenter-queue";

/** Adjusts each underlying resource before it is created. */
export interface KarpenterTransform extends ControllerTransform, KarpenterQueueTransform {
  readonly nodeRole?: Transform<iam.RoleArgs>;
  /** Applies to each policy of the node role: `<name>-nodes-role-worker`, `-registry`, `-cni` and `-ssm`. */
  readonly nodeRolePolicyAttachment?: Transform<iam.RolePolicyAttachmentArgs>;
  readonly instanceProfile?: Transform<iam.InstanceProfileArgs>;
  readonly accessEntry?: Transform<AccessEntryArgs>;
}

/** Arguments of a Karpenter. */
export const karpenterSchema = s.section({
  ...controllerEntries(chart),
  /**
   * Whether Karpenter replaces nodes that the node monitoring agent reports as unhealthy: its feature gate NodeRepair.
   *
   * @default false - a lab must show the failure
   */
  nodeRepair: s.optional(s.flag(), false),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(
    transformOf<KarpenterTransform>({
      ...controllerTransformKeys,
      ...{ nodeRole: true, nodeRolePolicyAttachment: true, instanceProfile: true, accessEntry: true },
      ...{ queue: true, queuePolicy: true, eventRule: true, eventTarget: true },
    }),
  ),
});

export interface KarpenterArgs extends Readonly<GivenOf<typeof karpenterSchema>> {}

export const karpenterDefaults = defaultsOf(karpenterSchema);

/** Every problem in the arguments. Outputs are not checked. */
export function karpenterProblems(args: KarpenterArgs, at = ""): readonly Problem[] {
  return problemsIn(karpenterSchema, args, at);
}

/** The namespace and service account of Karpenter's pods. */
const place = { namespace: "kube-system", serviceAccount: "karpenter" } as const;

/**
 * Values of the chart karpenter, which keeps its pods off nodes of a NodePool by itself: nothing could start such a node again.
 * @see https://github.com/aws/karpenter-provider-aws/blob/v1.14.0/charts/karpenter/values.yaml
 */
export function karpenterValues(args: {
  readonly clusterName: pulumi.Input<string>;
  readonly interruptionQueue: pulumi.Input<string>;
  readonly nodeRepair: boolean;
}) {
  const { clusterName, interruptionQueue, nodeRepair } = args;
  return {
    serviceAccount: { create: true, name: place.serviceAccount },
    nodeSelector: { "kubernetes.io/os": "linux", ...systemNodes },
    // Requests that fit on a small system node beside other controllers.
    controller: { resources: { requests: { cpu: "250m", memory: "512Mi" }, limits: { memory: "1Gi" } } },
    settings: { clusterName, interruptionQueue, featureGates: { nodeRepair } },
  };
}

/**
 * Creates what Karpenter needs in AWS, and with `install` Karpenter: the role of its pods, a queue of interruptions, and role,
 * instance profile and access entry of the nodes that it starts. It starts nodes for a GpuNodePool.
 *
 * Make each GpuNodePool depend on this component. When the stack is destroyed, its nodes then end while Karpenter runs. Helm
 * installs the resource definitions once, and never upgrades or deletes them: before another minor of the chart, apply those
 * of the chart `karpenter-crd`.
 *
 * @see https://karpenter.sh/v1.14/upgrading/upgrade-guide/
 * @cost No additional charge: its queue stays far below the free tier of SQS (1 million requests a month) in a lab.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class Karpenter extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  /** The role of the nodes. */
  readonly nodeRoleName: pulumi.Output<string>;
  /** The instance profile with the role of the nodes, for a GpuNodePool. */
  readonly instanceProfileName: pulumi.Output<string>;
  readonly queueName: pulumi.Output<string>;
  /** What must exist before a Karpenter that is installed in another way starts. */
  readonly ready: pulumi.Resource[];
  /** Undefined where only the identity is created. */
  readonly release: Release | undefined;

  constructor(name: string, args: KarpenterArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `Karpenter "${name}"`;
    const { transform = {}, cluster, ...settings } = resolveArgs(subject, karpenterSchema, args);
    super(token("Karpenter"), name, settings, opts);
    if (settings.install) refuseWithoutProvider(subject, this, { path: "install", got: true });
    const options = childOptions(this, opts);
    const { clusterName, nodeRepair } = settings;
    const namePrefix = pulumi.output(clusterName).apply((text) => iamNamePrefix(text, "karpenter"));
    const tags = { Name: pulumi.interpolate`${clusterName}-karpenter`, ...settings.tags };

    const nodes = makeNodeIdentity(this, { name, clusterName, namePrefix, tags, transform, options });
    const queue = makeInterruptionQueue({ name, namePrefix, tags, transform, options });
    const where = { partition: partitionOf(this).partition, region: regionOf(this), accountId: accountIdOf(this) };
    const named = { clusterName, nodeRoleArn: nodes.role.arn, queueArn: queue.arn };
    const policy = pulumi.output({ ...where, ...named }).apply(karpenterPolicy);
    const values = karpenterValues({ clusterName, interruptionQueue: queue.name, nodeRepair });
    const made = makeController({ name, chart, place, settings, policy, values, cluster, transform, options });
    this.roleArn = made.roleArn;
    this.nodeRoleName = nodes.role.name;
    this.instanceProfileName = nodes.profile.name;
    this.queueName = queue.name;
    this.ready = [...made.ready, ...nodes.ready];
    this.release = made.release;
    const { roleArn, nodeRoleName, instanceProfileName, queueName } = this;
    this.registerOutputs({ roleArn, nodeRoleName, instanceProfileName, queueName });
  }
}

interface NodeIdentitySpec {
  readonly name: string;
  readonly clusterName: pulumi.Input<string>;
  readonly namePrefix: pulumi.Output<string>;
  readonly tags: Record<string, pulumi.Input<string>>;
  readonly transform: KarpenterTransform;
  readonly options: pulumi.CustomResourceOptions;
}

/** Role, instance profile and access entry of the nodes. EKS creates the entry itself for managed node groups only. */
function makeNodeIdentity(parent: pulumi.ComponentResource, spec: NodeIdentitySpec) {
  const { name, clusterName, namePrefix, tags, transform, options } = spec;
  const ofRole = withoutUndefined({
    role: transform.nodeRole,
    rolePolicyAttachment: transform.nodeRolePolicyAttachment,
  });
  const naming = { prefix: namePrefix, tags };
  const about = "Nodes that Karpenter starts";
  const { role, attachments } = makeNodeRole(parent, `${name}-nodes`, naming, ofRole, options, about);
  const profileArgs = { namePrefix, role: role.name, tags };
  const profile = new iam.InstanceProfile(
    ...transformed(transform.instanceProfile, `${name}-nodes`, profileArgs, options),
  );
  const entryArgs = { clusterName, principalArn: role.arn, type: "EC2_LINUX", tags };
  const entry = new AccessEntry(...transformed(transform.accessEntry, `${name}-nodes-access`, entryArgs, options));
  return { role, profile, ready: [...attachments, profile, entry] };
}
