import * as pulumi from "@pulumi/pulumi";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Provider } from "@pulumi/kubernetes/provider";
import {
  GpuOperator,
  gpuOperatorArgs,
  gpuOperatorProblems,
  join,
  refuse,
  type ClusterFacts,
  type GpuEnvironment,
  type Problem,
} from "../../components";
import { factsOf } from "../../components/environment/cluster-facts";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import type { Lab, LabPlace } from "./lab";
import type { LabConfig } from "./lab-config";
import { labs } from "../labs";
import { readSharedCluster, type SharedCluster } from "./shared-cluster";

/** The place of a lab in the environment that its own stack creates. */
export function ownPlace(config: LabConfig, settings: EnvironmentSettings, environment: GpuEnvironment): LabPlace {
  const { cluster, gpuOperator, monitoring, systemNodes } = environment;
  const needed = [monitoring, gpuOperator].filter((part) => part !== undefined);
  const options = {
    provider: cluster.provider,
    dependsOn: [systemNodes, ...cluster.accessEntries, ...needed],
  };
  return place(config, { options, cluster: cluster.core, facts: factsOf(settings) });
}

/** A place in the cluster of another stack. */
interface SharedPlace {
  readonly place: LabPlace;
  /** For stacks that use the cluster through this one, with what this one installs. */
  readonly shared: SharedCluster;
}

/**
 * The place of a lab in the cluster of another stack. Installs what the lab needs and that stack does not have.
 *
 * @throws InputError when that stack shares no cluster, or owns the operator that the lab changes
 */
export async function sharedPlace(config: LabConfig, reference: string): Promise<SharedPlace> {
  const { clusterFacts: facts, ...access } = await readSharedCluster(reference);
  refuse(`stack ${pulumi.getStack()}`, operatorProblems(config, reference, facts));
  const provider = new Provider(`${config.lab}-cluster`, { kubeconfig: access.kubeconfig });
  const operator = missingOperator(config, facts, provider);
  const options = { provider, ...(operator && { dependsOn: operator }) };
  const gpuOperator = facts.gpuOperator || operator !== undefined;
  return {
    place: place(config, { options, cluster: undefined, facts }),
    shared: { clusterFacts: { ...facts, gpuOperator }, ...access },
  };
}

/** Only the stack that installed the operator can change it. */
function operatorProblems(config: LabConfig, reference: string, facts: ClusterFacts): Problem[] {
  const { enabled, ...settings } = config.environment.gpuOperator ?? {};
  if (!enabled) return [];
  if (!facts.gpuOperator)
    return clusterFitProblems(gpuOperatorProblems(gpuOperatorArgs(facts, settings), "gpuOperator"), reference);
  const { fault }: Lab = labs[config.lab];
  if (fault?.environment?.gpuOperator) {
    const why = "That stack installed the GPU Operator, and the fault changes the operator.";
    const fix = "set gpuOperator.enabled to false in that stack, so that this one installs it; or remove environment";
    return [{ code: "conflict", path: "environment", got: reference, why, fix }];
  }
  return Object.entries(settings).map(([key, got]): Problem => {
    const path = join("gpuOperator", key);
    const why = `${reference} installed the GPU Operator of the cluster.`;
    return { code: "conflict", path, got, why, fix: `pulumi config rm --path ${path}, or set it in that stack` };
  });
}

/** Names the engine by the stack that sets it. */
function clusterFitProblems(problems: readonly Problem[], reference: string): Problem[] {
  const renamed = (text: string) => text.replaceAll("gpuOperator.health", `gpuHealth.engine of ${reference}`);
  return problems.map((problem) => ({ ...problem, path: renamed(problem.path), fix: renamed(problem.fix) }));
}

/** The operator that the lab needs, where the cluster has none. */
function missingOperator(config: LabConfig, facts: ClusterFacts, provider: Provider): GpuOperator | undefined {
  const { gpuOperator } = config.environment;
  if (!gpuOperator?.enabled || facts.gpuOperator) return undefined;
  return new GpuOperator(`${config.lab}-gpu-operator`, gpuOperatorArgs(facts, gpuOperator), { provider });
}

type Found = Pick<LabPlace, "cluster"> & {
  readonly options: pulumi.ComponentResourceOptions;
  readonly facts: ClusterFacts;
};

function place({ lab, isFaulty, expires, node, remedy, gpuProduct }: LabConfig, { facts, ...found }: Found): LabPlace {
  const { options, cluster } = found;
  const { podSecurity = "restricted" }: Lab = labs[lab];
  const space = new Namespace(
    `${lab}-namespace`,
    { metadata: { name: lab, labels: { "pod-security.kubernetes.io/enforce": podSecurity } } },
    { ...options, ...(cluster && { deletedWith: cluster }) },
  );
  const namespace = space.metadata.name;
  const { gpuTaints: taints, monitoring: isMonitored } = facts;
  return { name: lab, isFaulty, expires, node, remedy, gpuProduct, namespace, taints, isMonitored, ...found };
}
