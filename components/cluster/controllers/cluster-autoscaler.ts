import { getCallerIdentityOutput } from "@pulumi/aws/getCallerIdentity";
import { getPartitionOutput } from "@pulumi/aws/getPartition";
import { getRegionOutput } from "@pulumi/aws/getRegion";
import type { Release } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { join, keysOf, noObject, onlyKeys } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions } from "../../core/options";
import { refuse, type Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { token } from "../../core/tokens";
import { clusterAutoscalerChart as chart } from "../../core/versions";
import { kubernetesVersionProblems, minorOf } from "../kubernetes-versions";
import { clusterAutoscalerPolicy } from "./cluster-autoscaler-policy";
import {
  controllerDefaults,
  controllerArgsProblems,
  controllerKeys,
  makeController,
  type ControllerArgs,
} from "./controller-release";
import { clusterAutoscalerValues } from "./controller-values";

export interface ClusterAutoscalerArgs extends ControllerArgs {
  /** Kubernetes minor of the cluster. The autoscaler simulates that minor's scheduler, so its own must be the same. */
  readonly kubernetesVersion: string;
  /**
   * Tag of the autoscaler's image: one exact version of the cluster's minor.
   *
   * @default the tag this library pins for the minor - see components/core/versions.ts
   */
  readonly imageTag?: string;
}

export const clusterAutoscalerDefaults = controllerDefaults(chart);

/** The image of the autoscaler: the stated one, else the one pinned for the cluster's minor. */
export function imageTagFor(stated: string | undefined, kubernetesVersion: string): string | undefined {
  return stated ?? chart.imageTags[kubernetesVersion];
}

const argsKeys = keysOf<ClusterAutoscalerArgs>({ ...controllerKeys, kubernetesVersion: true, imageTag: true });

/** Where the autoscaler runs, and as whom. */
const place = { namespace: "kube-system", serviceAccount: "cluster-autoscaler" } as const;

/** Every problem of the arguments. */
export function clusterAutoscalerProblems(args: ClusterAutoscalerArgs, at = ""): Problem[] {
  if (!isRecord(args)) return noObject(at, args);
  const { kubernetesVersion, install } = args;
  const minor = kubernetesVersionProblems(join(at, "kubernetesVersion"), kubernetesVersion);
  const checkImage = minor.length === 0 && (install === true || args.imageTag !== undefined);
  return [
    ...onlyKeys(at, args, argsKeys),
    ...controllerArgsProblems(args, chart, at),
    ...minor,
    ...(checkImage ? imageTagProblems(join(at, "imageTag"), args.imageTag, kubernetesVersion) : []),
  ];
}

function imageTagProblems(path: string, got: unknown, kubernetesVersion: string): Problem[] {
  if (got === undefined && chart.imageTags[kubernetesVersion]) return [];
  const fix = `set ${path} to a release of that minor, such as "v${kubernetesVersion}.0": https://github.com/kubernetes/autoscaler/releases`;
  if (got === undefined) {
    const why = `No image is pinned for Kubernetes ${kubernetesVersion}.`;
    return [{ code: "missing", path, got, why, fix }];
  }
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  if (/^v1\.\d+\.\d+$/.test(got) && minorOf(got) === minorOf(kubernetesVersion)) return [];
  const why = `It must be one exact version of the autoscaler for Kubernetes ${kubernetesVersion}, whose scheduler it simulates.`;
  return [{ code: "version", path, got, why, fix }];
}

/**
 * Gives the Cluster Autoscaler its role, and installs it when asked to. It adds nodes to the cluster's managed node
 * groups while pods wait, and removes idle ones, within each group's minimum and maximum.
 *
 * @cost Nothing by itself. A pod that waits for a GPU buys a GPU node, which stays for ten idle minutes.
 * @throws InputError with every problem of the arguments, before any resource is made
 */
export class ClusterAutoscaler extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  /** What must be there before an autoscaler that comes another way starts. */
  readonly ready: pulumi.Resource[];
  /** Undefined where only the identity was asked for. */
  readonly release: Release | undefined;

  constructor(name: string, args: ClusterAutoscalerArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `ClusterAutoscaler "${name}"`;
    refuse(subject, clusterAutoscalerProblems(args));
    const { transform = {}, cluster, ...stated } = args;
    const imageTag = imageTagFor(stated.imageTag, stated.kubernetesVersion) ?? "";
    const settings = { ...withDefaults(stated, clusterAutoscalerDefaults), ...(imageTag && { imageTag }) };
    super(token("ClusterAutoscaler"), name, settings, opts);
    if (settings.install) refuseWithoutProvider(subject, this, { path: "install", got: true });
    const options = childOptions(this, opts);
    const { clusterName } = settings;

    const { partition } = getPartitionOutput({}, { parent: this });
    const { accountId } = getCallerIdentityOutput({}, { parent: this });
    const { region } = getRegionOutput({}, { parent: this });
    const policy = pulumi.output({ partition, region, accountId, clusterName }).apply(clusterAutoscalerPolicy);
    const values = clusterAutoscalerValues({ ...place, clusterName, region, imageTag });

    const made = makeController({ name, chart, place, settings, policy, values, cluster, transform, options });
    this.roleArn = made.roleArn;
    this.ready = made.ready;
    this.release = made.release;
    this.registerOutputs({ roleArn: this.roleArn });
  }
}
