import type { CronJobArgs } from "@pulumi/kubernetes/batch/v1/cronJob";
import type { ServiceAccountArgs } from "@pulumi/kubernetes/core/v1/serviceAccount";
import type { ClusterRoleArgs } from "@pulumi/kubernetes/rbac/v1/clusterRole";
import type { ClusterRoleBindingArgs } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding";
import type * as cloudwatch from "@pulumi/aws/cloudwatch";
import type * as ssm from "@pulumi/aws/ssm";
import * as v from "valibot";
import { clusterName } from "../cluster/cluster-name";
import { namespace, objectName } from "../core/kubernetes-names";
import { clusterResource } from "../core/options";
import type { Problem } from "../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf } from "../core/schema";
import { tagMap } from "../core/tokens";
import { transformOf, type Transform } from "../core/transform";
import { workloadImages } from "../core/versions";
import { image } from "../workloads/shared/container-schema";
import { leaseConflicts, leaseSettings, leaseTimes, type LabLeaseTransform } from "./lab-lease-schema";

/** Adjusts each underlying resource before it is created. */
export interface NodePoolLeaseTransform extends Omit<LabLeaseTransform, "budget"> {
  readonly serviceAccount?: Transform<ServiceAccountArgs>;
  readonly clusterRole?: Transform<ClusterRoleArgs>;
  readonly clusterRoleBinding?: Transform<ClusterRoleBindingArgs>;
  /** Applies to each CronJob: `<name>-nightly-<pool>` and `<name>-end-<pool>`. */
  readonly cronJob?: Transform<CronJobArgs>;
  /** The SSM Automation of the second line. The keys that a LabLease has, too, adjust its other resources. */
  readonly document?: Transform<ssm.DocumentArgs>;
  /** The rule of EventBridge that reports an Automation that fails. */
  readonly eventRule?: Transform<cloudwatch.EventRuleArgs>;
  readonly eventTarget?: Transform<cloudwatch.EventTargetArgs>;
}

const secondLine = s.section({
  /** Name of the cluster: only instances with its tag are terminated. */
  clusterName: clusterName(),
  /**
   * ARNs of SNS topics that get a message when the second line has terminated instances, or has failed.
   * @default [] - none
   */
  alarmTopicArns: leaseSettings.entries.alarmTopicArns,
  /** Tags of its resources. @default {} - only Name */
  tags: s.optional(tagMap(), {}),
});

const nodePoolLeaseSection = s.section({
  /** Names of the NodePools whose nodes the lease terminates. They need not exist yet. */
  nodePools: s.list(objectName("gpu"), '["gpu"]', { notEmpty: true, distinct: true }),
  ...leaseTimes.entries,
  /** Namespace of the CronJobs. It must exist. @default "kube-system" - every cluster has it */
  namespace: s.optional(namespace(), "kube-system"),
  /**
   * Image whose entrypoint is kubectl, by exact tag or digest. It needs no shell. Its version may differ from the cluster's
   * by one minor.
   *
   * @default "registry.k8s.io/kubectl:v1.35.3@sha256:8dad99b604a2c0bafe17f53cadf78482d6f667a6da687f385508f5f4e4696d37" - the image of the Kubernetes project
   */
  image: s.optional(image(), workloadImages.kubectl),
  /**
   * Terminates the instances without the help of the cluster, 75 minutes later, if the CronJobs did not: `clusterName`,
   * `alarmTopicArns`, `tags`.
   * @default none - while the cluster or Karpenter does not work, nothing terminates the nodes
   */
  secondLine: s.optional(secondLine),
  /**
   * The cluster. When Pulumi destroys the cluster, the lease is deleted with it, without a request to its API server.
   * @default none - Pulumi deletes each object
   */
  cluster: s.optional(clusterResource()),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(
    transformOf<NodePoolLeaseTransform>({
      ...{ serviceAccount: true, clusterRole: true, clusterRoleBinding: true, cronJob: true, document: true },
      ...{ scheduleGroup: true, schedule: true, role: true, rolePolicy: true },
      ...{ queue: true, queuePolicy: true, alarm: true, eventRule: true, eventTarget: true },
    }),
  ),
});

/** Arguments of a NodePoolLease. */
export const nodePoolLease = v.pipe(nodePoolLeaseSection, s.conflict(["nightly", "expiresAt"], leaseConflicts));

export interface NodePoolLeaseArgs extends Readonly<GivenOf<typeof nodePoolLease>> {}

export const nodePoolLeaseDefaults = defaultsOf(nodePoolLeaseSection);

/** Every problem in the arguments of a NodePoolLease. */
export function nodePoolLeaseProblems(args: NodePoolLeaseArgs, at = ""): readonly Problem[] {
  return problemsIn(nodePoolLease, args, at);
}
