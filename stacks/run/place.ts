import * as pulumi from "@pulumi/pulumi";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Provider } from "@pulumi/kubernetes/provider";
import { GpuOperator, join, refuse, type ClusterFacts, type GpuEnvironment, type Problem } from "../../components";
import { resolved } from "../../components/core/schema";
import { factsOf, operatorArguments } from "../../components/environment/cluster-facts";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { gpuOperatorConflicts } from "../../components/gpu/operator/gpu-operator-schema";
import type { Lab, LabPlace } from "./lab";
import type { ClusterReference, LabConfig } from "./lab-config";
import { labs, type LabName } from "../labs";
import { onDemandLabs } from "../on-demand";
import { readSharedCluster } from "./shared-cluster";

/** The place of a lab in the environment that its own stack creates. */
export function ownPlace(config: LabConfig, settings: EnvironmentSettings, environment: GpuEnvironment): LabPlace {
  const { cluster, gpuOperator, monitoring, systemNodes } = environment;
  const needed = [monitoring, gpuOperator].filter((part) => part !== undefined);
  const options = {
    provider: cluster.provider,
    dependsOn: [systemNodes, ...cluster.accessEntries, ...needed],
  };
  return place(config, { options, cluster: cluster.deletedWith, localGpus: undefined, facts: factsOf(settings) });
}

/**
 * The place of a lab in the cluster of another stack. Installs what the lab needs and that stack does not have. `shared` is
 * for stacks that use the cluster through this one, with what this one installs.
 *
 * @throws InputError when that stack shares no cluster, or owns the operator that the lab changes
 */
export async function sharedPlace(config: LabConfig, cluster: ClusterReference) {
  const { reference } = cluster;
  const { clusterFacts: facts, ...access } = await readSharedCluster(reference);
  const value = missingOperator(config, cluster, facts);
  const provider = new Provider(`${config.lab}-cluster`, { kubeconfig: access.kubeconfig });
  const operator =
    value && new GpuOperator(`${config.lab}-gpu-operator`, resolved<OperatorValues>(value), { provider });
  const options = { provider, ...(operator && { dependsOn: operator }) };
  return {
    place: place(config, { options, cluster: undefined, localGpus: undefined, facts }),
    shared: { clusterFacts: { ...facts, gpuOperator: facts.gpuOperator || operator !== undefined }, ...access },
  };
}

type OperatorValues = ReturnType<typeof operatorArguments>;

/**
 * The arguments of the operator that the lab needs, where the cluster has none.
 *
 * @throws InputError when they do not fit the cluster, or when the stack of the cluster owns the operator
 */
function missingOperator(
  { lab, environment }: LabConfig,
  { reference, operator }: ClusterReference,
  facts: ClusterFacts,
): OperatorValues | undefined {
  if (!operator.enabled) return undefined;
  const { enabled, ...settings } = environment.gpuOperator ?? {};
  const subject = `stack ${pulumi.getStack()}`;
  if (facts.autoMode) {
    refuse(subject, refusedByAutoMode(lab, reference));
    return undefined;
  }
  const args = operatorArguments(facts, operator);
  if (facts.gpuOperator) refuse(subject, changesOfSharedOperator(lab, settings, reference));
  else refuse(subject, gpuOperatorConflicts(args, "gpuOperator", `gpuHealth.engine of ${reference}`));
  return facts.gpuOperator ? undefined : args;
}

/** EKS Auto Mode needs no operator; a lab of the operator cannot run there. */
function refusedByAutoMode(lab: LabName, reference: string): Problem[] {
  const why = onDemandLabs[lab].refusedByAutoMode;
  if (why === undefined) return [];
  const fix = "pulumi config rm environment, or set it to a stack without EKS Auto Mode";
  return [{ code: "conflict", path: "environment", got: reference, why, fix }];
}

/** Only the stack that installed the operator can change it. */
function changesOfSharedOperator(lab: LabName, settings: object, reference: string): Problem[] {
  const { fault, environment }: Lab = labs[lab];
  if (fault?.environment?.gpuOperator) {
    const why = "That stack installed the GPU Operator, and the fault changes the operator.";
    const fix = "set gpuOperator.enabled to false in that stack, so that this one installs it; or remove environment";
    return [{ code: "conflict", path: "environment", got: reference, why, fix }];
  }
  const stated = Object.entries(settings).filter(([key]) => !Object.hasOwn(environment?.gpuOperator ?? {}, key));
  return stated.map(([key, got]: [string, unknown]): Problem => {
    const path = join("gpuOperator", key);
    const why = `${reference} installed the GPU Operator of the cluster.`;
    return { code: "conflict", path, got, why, fix: `pulumi config rm --path ${path}, or set it in that stack` };
  });
}

/** What is known about the cluster of a lab. */
type Found = Pick<LabPlace, "cluster" | "localGpus"> & {
  readonly options: pulumi.ComponentResourceOptions;
  readonly facts: ClusterFacts;
};

/** The place of a lab in a cluster, with the namespace that its stack creates. */
export function place(
  { lab: name, isFaulty, expires, faultVariant, node, remedy, gpuProduct }: LabConfig,
  { facts, ...found }: Found,
): LabPlace {
  const { options, cluster } = found;
  const { podSecurity = "restricted" }: Lab = labs[name];
  const space = new Namespace(
    `${name}-namespace`,
    { metadata: { name, labels: { "pod-security.kubernetes.io/enforce": podSecurity } } },
    { ...options, ...(cluster && { deletedWith: cluster }) },
  );
  const namespace = space.metadata.name;
  const { gpuTaints: taints, monitoring: isMonitored } = facts;
  const settings = { isFaulty, expires, faultVariant, node, remedy, gpuProduct };
  return { name, ...settings, namespace, taints, isMonitored, ...found };
}
