import * as pulumi from "@pulumi/pulumi";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Provider } from "@pulumi/kubernetes/provider";
import { environmentDefaults, GpuOperator, gpuTaint, InputError, type GpuEnvironment, type Taint } from "../components";
import type { LabPlace } from "./lab";
import type { LabConfig } from "./lab-config";

/** Makes a place for the lab in the environment that its own stack has made. */
export function ownPlace(config: LabConfig, environment: GpuEnvironment): LabPlace {
  const { cluster, gpuNodes, gpuOperator, monitoring, systemNodes } = environment;
  const needed = [monitoring, gpuOperator].filter((part) => part !== undefined);
  const options = {
    provider: cluster.provider,
    dependsOn: [systemNodes, ...cluster.accessEntries, ...needed],
  };
  const isMonitored = monitoring !== undefined;
  return place(config, { options, cluster: cluster.core, taints: gpuNodes.taints, isMonitored });
}

/**
 * Makes a place for the lab in the cluster of another stack, and in it what the lab needs and that stack has not.
 *
 * @throws InputError when the stack has the operator that the lab's fault is to change
 */
export async function borrowedPlace(config: LabConfig, reference: string): Promise<LabPlace> {
  const lender = new pulumi.StackReference(reference);
  const provider = new Provider(`${config.lab}-cluster`, {
    kubeconfig: lender.requireOutput("kubeconfig") as pulumi.Output<string>,
  });
  const lent = await lentBy(lender);
  const operator = borrowedOperator(config, lent, provider);
  const options = { provider, ...(operator && { dependsOn: operator }) };
  return place(config, { options, cluster: undefined, taints: lent.taints, isMonitored: lent.isMonitored });
}

/** What another stack says of its cluster; offline nothing of it is known. */
interface Lent {
  readonly kubernetesVersion: string | undefined;
  readonly taints: readonly Taint[];
  /** Version of the GPU Operator's chart, or `none`. */
  readonly gpuOperator: string;
  readonly isMonitored: boolean;
}

async function lentBy(lender: pulumi.StackReference): Promise<Lent> {
  const value = async (name: string): Promise<unknown> => (await lender.getOutputDetails(name)).value;
  const [kubernetesVersion, taints, gpuOperator, monitoring] = await Promise.all(
    ["kubernetesVersion", "gpuTaints", "gpuOperatorVersion", "monitoringVersion"].map(value),
  );
  return {
    kubernetesVersion: typeof kubernetesVersion === "string" ? kubernetesVersion : undefined,
    taints: Array.isArray(taints) ? (taints as Taint[]) : [gpuTaint],
    gpuOperator: typeof gpuOperator === "string" ? gpuOperator : "none",
    isMonitored: typeof monitoring === "string" && monitoring !== "none",
  };
}

/** The operator that the lab needs, made here where the lender has none. */
function borrowedOperator(config: LabConfig, lent: Lent, provider: Provider): GpuOperator | undefined {
  const { enabled, ...settings } = config.environment.gpuOperator ?? {};
  if (!enabled) return undefined;
  if (lent.gpuOperator === "none") {
    const kubernetesVersion =
      lent.kubernetesVersion ?? config.environment.kubernetesVersion ?? environmentDefaults.kubernetesVersion;
    return new GpuOperator(
      `${config.lab}-gpu-operator`,
      { ...settings, kubernetesVersion, taints: lent.taints },
      { provider },
    );
  }
  if (settings.devicePlugin !== false) return undefined;
  const why = `That stack has installed the GPU Operator (${lent.gpuOperator}), and the fault changes the operator.`;
  const fix = "set gpuOperator.enabled to false in that stack, and this one installs it; or remove environment";
  throw new InputError(`stack ${config.lab}`, [
    { code: "conflict", path: "environment", got: config.borrowed, why, fix },
  ]);
}

type Found = Pick<LabPlace, "cluster" | "isMonitored" | "taints"> & {
  readonly options: pulumi.ComponentResourceOptions;
};

function place({ lab, isFaulty, expires, node, remedy }: LabConfig, found: Found): LabPlace {
  const { options, cluster } = found;
  const space = new Namespace(
    `${lab}-namespace`,
    { metadata: { name: lab } },
    { ...options, ...(cluster && { deletedWith: cluster }) },
  );
  const namespace = space.metadata.name;
  return { name: lab, isFaulty, expires, node, remedy, namespace, ...found };
}
