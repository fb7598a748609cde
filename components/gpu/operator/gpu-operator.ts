import * as pulumi from "@pulumi/pulumi";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import { chartSource } from "../../core/helm-chart";
import { makeReleaseInNamespace } from "../../core/helm-release";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions } from "../../core/options";
import { resolveArgs } from "../../core/schema";
import { token } from "../../core/tokens";
import { gpuOperatorChart } from "../../core/versions";
import { chartTag } from "./compatibility";
import { gpuOperator, type GpuOperatorArgs } from "./gpu-operator-schema";
import { operatorValues, type OperatorSettings } from "./operator-values";

/**
 * Installs the NVIDIA GPU Operator on nodes of the EKS AL2023 NVIDIA AMI: device plugin, GPU feature discovery, DCGM
 * exporter and validator, with driver and container toolkit left to the AMI.
 *
 * Pass the cluster's Kubernetes provider in `opts`, or a parent that has it. Without one the constructor throws, because
 * Pulumi would install into the cluster of the local kubeconfig. In a cluster without GPU nodes the operator creates no
 * DaemonSets and waits. In a cluster without the node monitoring agent `health` must be "operator". NVIDIA supports the
 * operator on Ubuntu nodes only; AWS documents it for AL2023.
 *
 * @see https://github.com/NVIDIA/gpu-operator/issues/1492 2026-09-11
 * @cost No additional charge. At rest about 0.3 vCPU and 350 MiB on the system nodes; in use its DaemonSets use a part
 * of each GPU node.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class GpuOperator extends pulumi.ComponentResource {
  readonly releaseName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** Version of the chart that is installed. */
  readonly chartVersion: pulumi.Output<string>;
  /** Helm's status of the release, e.g. `deployed` or `failed`. */
  readonly status: pulumi.Output<string>;

  constructor(name: string, args: GpuOperatorArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuOperator "${name}"`;
    const { cluster, transform, ...settings } = resolveArgs(subject, gpuOperator, args);
    super(token("GpuOperator"), name, settings, opts);
    refuseWithoutProvider(subject, this);
    const options = childOptions(this, opts, cluster);
    const { release } = makeReleaseInNamespace(name, settings, chartArgs(settings), transform, options);

    this.releaseName = release.name;
    this.namespace = release.namespace;
    this.chartVersion = release.version;
    this.status = release.status.status;
    const { releaseName, namespace, chartVersion, status } = this;
    this.registerOutputs({ releaseName, namespace, chartVersion, status });
  }
}

function chartArgs(
  settings: OperatorSettings & { readonly repository: string; readonly chartVersion: string },
): ReleaseArgs {
  return {
    name: "gpu-operator",
    ...chartSource(settings.repository, gpuOperatorChart.name),
    version: chartTag(settings.chartVersion),
    values: operatorValues(settings),
    // The chart upgrades its CRDs in a hook. Helm would validate the new ClusterPolicy against the old CRD before that.
    // @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/upgrade.html
    disableOpenapiValidation: true,
  };
}
