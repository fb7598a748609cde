import { Namespace, type NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import { Release, type ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { withDefaults } from "../../core/defaults";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions, oneReleaseAtATime } from "../../core/options";
import { privilegedNamespace } from "../../core/kubernetes";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { kubePrometheusStackChart } from "../../core/versions";
import { workloadLabels } from "../../workloads/shared/workload";
import { monitoringDefaults, type MonitoringArgs, type MonitoringTransform } from "./monitoring-args";
import { monitoringProblems } from "./monitoring-rules";
import { monitoringValues, type MonitoringSettings } from "./monitoring-values";

export { monitoringDefaults, monitoringProblems, type MonitoringArgs, type MonitoringTransform };

const releaseName = kubePrometheusStackChart.name;

/**
 * Installs Prometheus with its operator, Alertmanager, Grafana, kube-state-metrics and the node exporter, in a size for
 * two t3.medium. kube-state-metrics exports the node labels that the GPU alerts join on, and Prometheus takes the rules
 * and monitors of every namespace: those of GpuAlerts and of the GPU Operator.
 *
 * Make it before what needs its CRDs: GpuAlerts, and a GpuOperator with `serviceMonitor: true`, whose ClusterPolicy
 * would else stay notReady. Helm leaves the CRDs in the cluster when the release goes.
 *
 * Nothing is stored: metrics are lost with the pod. Grafana's password is made by the chart and stays in the cluster,
 * where `grafanaPasswordCommand` reads it.
 *
 * @cost No charge of its own. At rest about 0.3 vCPU and 1.3 GiB on the system nodes, and 32 MiB on every node.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class Monitoring extends pulumi.ComponentResource {
  readonly releaseName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** Version of the chart that is installed. */
  readonly chartVersion: pulumi.Output<string>;
  /** Helm's word for the release, e.g. `deployed` or `failed`. */
  readonly status: pulumi.Output<string>;
  /** Opens Prometheus on port 9090 of this machine. */
  readonly prometheusCommand: pulumi.Output<string>;
  /** Opens Alertmanager on port 9093 of this machine; empty where it is left out. */
  readonly alertmanagerCommand: pulumi.Output<string>;
  /** Opens Grafana on port 3000 of this machine, user admin; empty where it is left out. */
  readonly grafanaCommand: pulumi.Output<string>;
  /** Reads Grafana's password; empty where it is left out. */
  readonly grafanaPasswordCommand: pulumi.Output<string>;

  constructor(name: string, args: MonitoringArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `Monitoring "${name}"`;
    refuse(subject, monitoringProblems(args));
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, monitoringDefaults);
    super(token("Monitoring"), name, settings, opts);
    refuseWithoutProvider(subject, this);
    const options = { ...childOptions(this, opts), ...(cluster && { deletedWith: cluster }) };

    const labels = { ...workloadLabels("monitoring", name), ...privilegedNamespace };
    const space: NamespaceArgs = { metadata: { name: settings.namespace, labels } };
    const namespace = new Namespace(...transformed(transform?.namespace, `${name}-namespace`, space, options));

    const install = releaseArgs(settings, namespace.metadata.name);
    const releaseOptions = { ...options, ...oneReleaseAtATime };
    const release = new Release(...transformed(transform?.release, name, install, releaseOptions));

    this.releaseName = release.name;
    this.namespace = release.namespace;
    this.chartVersion = release.version;
    this.status = release.status.status;
    const commands = commandsFor(settings, namespace.metadata.name);
    this.prometheusCommand = commands.prometheusCommand;
    this.alertmanagerCommand = commands.alertmanagerCommand;
    this.grafanaCommand = commands.grafanaCommand;
    this.grafanaPasswordCommand = commands.grafanaPasswordCommand;
    const { chartVersion, status } = this;
    this.registerOutputs({
      releaseName: this.releaseName,
      namespace: this.namespace,
      chartVersion,
      status,
      ...commands,
    });
  }
}

interface ReleaseSettings extends MonitoringSettings {
  readonly repository: string;
  readonly chartVersion: string;
  readonly timeoutSeconds: number;
}

function releaseArgs(settings: ReleaseSettings, namespace: pulumi.Output<string>): ReleaseArgs {
  return {
    name: releaseName,
    chart: kubePrometheusStackChart.name,
    repositoryOpts: { repo: settings.repository },
    version: settings.chartVersion,
    namespace,
    createNamespace: false,
    values: monitoringValues(settings),
    timeout: settings.timeoutSeconds,
    skipAwait: false,
    // A failed install stays in the cluster to be looked at; rolled back it would fail the same way next time.
    atomic: false,
    cleanupOnFail: false,
  };
}

/** The services and the Secret are named by the chart, after the release. */
function commandsFor({ grafana, alertmanager }: MonitoringSettings, namespace: pulumi.Output<string>) {
  const forward = (service: string, ports: string) =>
    pulumi.interpolate`kubectl port-forward -n ${namespace} svc/${releaseName}-${service} ${ports}`;
  const none = pulumi.output("");
  const secret = `${releaseName}-grafana`;
  return {
    prometheusCommand: forward("prometheus", "9090:9090"),
    alertmanagerCommand: alertmanager ? forward("alertmanager", "9093:9093") : none,
    grafanaCommand: grafana ? forward("grafana", "3000:80") : none,
    grafanaPasswordCommand: grafana
      ? pulumi.interpolate`kubectl get secret -n ${namespace} ${secret} -o jsonpath='{.data.admin-password}' | base64 -d`
      : none,
  };
}
