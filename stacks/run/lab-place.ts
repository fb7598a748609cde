import * as pulumi from "@pulumi/pulumi";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Provider } from "@pulumi/kubernetes/provider";
import {
  clusterFacts,
  GpuOperator,
  gpuOperatorArgs,
  gpuOperatorProblems,
  join,
  refuse,
  type ClusterFacts,
  type GpuEnvironment,
  type Problem,
} from "../../components";
import type { Lab, LabPlace } from "./lab";
import type { LabConfig } from "./lab-config";
import { labs } from "../labs";
import { lentBy, type Lent } from "./lender";

/** Makes a place for the lab in the environment that its own stack has made. */
export function ownPlace(config: LabConfig, environment: GpuEnvironment): LabPlace {
  const { cluster, gpuOperator, monitoring, systemNodes } = environment;
  const needed = [monitoring, gpuOperator].filter((part) => part !== undefined);
  const options = {
    provider: cluster.provider,
    dependsOn: [systemNodes, ...cluster.accessEntries, ...needed],
  };
  return place(config, { options, cluster: cluster.core, facts: clusterFacts(config.environment) });
}

/** A place in the cluster of another stack. */
interface BorrowedPlace {
  readonly place: LabPlace;
  /** For stacks that borrow the cluster from this one, with what it has installed. */
  readonly lent: Lent;
}

/**
 * Makes a place for the lab in the cluster of another stack, and in it what the lab needs and that stack has not.
 *
 * @throws InputError when that stack lends no cluster, or has the operator that the lab is to change
 */
export async function borrowedPlace(config: LabConfig, reference: string): Promise<BorrowedPlace> {
  const { clusterFacts: facts, ...access } = await lentBy(reference);
  refuse(`stack ${pulumi.getStack()}`, operatorProblems(config, reference, facts));
  const provider = new Provider(`${config.lab}-cluster`, { kubeconfig: access.kubeconfig });
  const operator = missingOperator(config, facts, provider);
  const options = { provider, ...(operator && { dependsOn: operator }) };
  const gpuOperator = facts.gpuOperator || operator !== undefined;
  return {
    place: place(config, { options, cluster: undefined, facts }),
    lent: { clusterFacts: { ...facts, gpuOperator }, ...access },
  };
}

/** An operator that another stack has installed is that stack's to change. */
function operatorProblems(config: LabConfig, reference: string, facts: ClusterFacts): Problem[] {
  const { enabled, ...settings } = config.environment.gpuOperator ?? {};
  if (!enabled) return [];
  if (!facts.gpuOperator)
    return unfitProblems(gpuOperatorProblems(gpuOperatorArgs(facts, settings), "gpuOperator"), reference);
  const { fault }: Lab = labs[config.lab];
  if (fault?.environment?.gpuOperator) {
    const why = "That stack has installed the GPU Operator, and the fault changes the operator.";
    const fix = "set gpuOperator.enabled to false in that stack, and this one installs it; or remove environment";
    return [{ code: "conflict", path: "environment", got: reference, why, fix }];
  }
  return Object.entries(settings).map(([key, got]): Problem => {
    const path = join("gpuOperator", key);
    const why = `The GPU Operator of the cluster is that of ${reference}.`;
    return { code: "conflict", path, got, why, fix: `pulumi config rm --path ${path}, or set it in that stack` };
  });
}

/** Of an operator that does not fit the cluster. Its engine is the other stack's to choose. */
function unfitProblems(problems: readonly Problem[], reference: string): Problem[] {
  const told = (text: string) => text.replaceAll("gpuOperator.health", `gpuHealth.engine of ${reference}`);
  return problems.map((problem) => ({ ...problem, path: told(problem.path), fix: told(problem.fix) }));
}

/** The operator that the lab needs, made here where nobody has installed one. */
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
