import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import * as pulumi from "@pulumi/pulumi";
import { nodePoolLabel } from "../../core/instance-tags";
import { dnsLabel } from "../../core/kubernetes-names";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import type { Problem } from "../../core/problems";
import { completeArgs, problemsIn, type ValueOf } from "../../core/schema";
import { patchCommand } from "../../core/text";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import type { Taint } from "../scheduling/taints";
import { completePool, gpuNodePool, type GpuNodePoolArgs } from "./gpu-node-pool-schema";
import { gpuLimits, nodeClass, nodePool } from "./node-pool-manifests";

/** Commands that show a pool, and end its nodes. */
export interface GpuNodePoolCommands {
  /** The nodes of the pool, including nodes that are starting. */
  readonly nodes: pulumi.Output<string>;
  /** Terminates all nodes of the pool, and prevents new nodes until `restore`. */
  readonly end: pulumi.Output<string>;
  /** Restores the limit after `end`: pods start nodes again. */
  readonly restore: pulumi.Output<string>;
}

/**
 * GPU nodes that start when a pod needs one, and end when they are empty: a NodePool of Karpenter or of EKS Auto Mode, and
 * its node class. Nodes have the labels and the taint of a GpuNodeGroup.
 *
 * One component for both provisioners, because the NodePool is the same object in both: the limit, the expiry and the taint
 * decide about cost and pods, and do not depend on what starts the nodes. Only the node class differs. An argument that the
 * chosen provisioner does not have is an error.
 *
 * With Karpenter, set `dependsOn` to the Karpenter component: when the stack is destroyed, the pool and its nodes must end
 * while Karpenter runs. For the same reason the pool is not deleted with the cluster: its instances would stay. EKS Auto Mode
 * has its own AMI and device plugin: do not install the GPU Operator for it.
 *
 * @see https://karpenter.sh/v1.14/concepts/disruption/
 * @cost At rest nothing. At the limit, the instances and volumes of `gpuLimit` GPUs: two g5.xlarge in ap-northeast-2 cost
 * 2.474 USD an hour (2025-04), each volume 0.0125 USD an hour. EKS Auto Mode has an additional fee for each instance.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class GpuNodePool extends pulumi.ComponentResource {
  readonly nodePoolName: pulumi.Output<string>;
  readonly nodeClassName: pulumi.Output<string>;
  /** Every taint of its nodes: what runs on each of them must tolerate all. */
  readonly taints: readonly Taint[];
  readonly commands: GpuNodePoolCommands;

  constructor(name: string, args: GpuNodePoolArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuNodePool "${name}"`;
    const others = [...problemsIn(dnsLabel({ example: "gpu" }), name, "name"), ...deletedWithCluster(opts)];
    const complete = completeArgs(subject, gpuNodePool, args, completePool<ValueOf<typeof gpuNodePool>>, others);
    const { transform, ...settings } = complete;
    super(token("GpuNodePool"), name, settings, opts);
    refuseWithoutProvider(subject, this, undefined, "its objects");
    this.taints = settings.taints;

    const options = optionsOf(this, opts, settings.terminationGracePeriodMinutes);
    const created =
      settings.nodeClassName === undefined
        ? new CustomResource(...transformed(transform?.nodeClass, `${name}-class`, nodeClass(name, settings), options))
        : undefined;
    const className = created?.metadata.name ?? pulumi.output(settings.nodeClassName ?? "");
    const pool = new CustomResource(
      ...transformed(transform?.nodePool, name, nodePool(name, className, settings), {
        ...options,
        // The API server rejects another group of a pool that exists.
        replaceOnChanges: ["spec.template.spec.nodeClassRef.group"],
      }),
    );

    this.nodePoolName = pool.metadata.name;
    this.nodeClassName = className;
    this.commands = commands(this.nodePoolName, settings.gpuLimit);
    const { nodePoolName, nodeClassName } = this;
    this.registerOutputs({ nodePoolName, nodeClassName, commands: this.commands });
  }
}

/** An object in a cluster that Pulumi deletes with the cluster ends no instance. */
function deletedWithCluster(opts: pulumi.ComponentResourceOptions | undefined): Problem[] {
  if (opts?.deletedWith === undefined) return [];
  const why = "Only the deletion of the NodePool terminates its instances: otherwise, they outlive the cluster.";
  return [
    { code: "not-allowed", path: "deletedWith", got: "a resource", why, fix: "remove the resource option deletedWith" },
  ];
}

/** Pulumi waits until the nodes have ended, for which pods have their grace period, and EC2 some minutes. */
function optionsOf(
  parent: pulumi.ComponentResource,
  opts: pulumi.ComponentResourceOptions | undefined,
  minutes: number,
) {
  const customTimeouts = { delete: `${minutes + 20}m` };
  return { parent, dependsOn: opts?.dependsOn, deleteBeforeReplace: true, customTimeouts };
}

/** The limit comes first: otherwise a new node starts for the pods of the old one. */
function commands(pool: pulumi.Output<string>, gpuLimit: number): GpuNodePoolCommands {
  const selector = pulumi.interpolate`-l ${nodePoolLabel}=${pool}`;
  const setLimit = (gpus: number) =>
    pool.apply((name) => patchCommand(`nodepool ${name}`, { spec: { limits: gpuLimits(gpus) } }));
  return {
    nodes: pulumi.interpolate`kubectl get nodeclaims ${selector}`,
    end: pulumi.interpolate`${setLimit(0)} && kubectl delete nodeclaims ${selector}`,
    restore: setLimit(gpuLimit),
  };
}
