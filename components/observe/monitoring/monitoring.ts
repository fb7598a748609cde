import * as pulumi from "@pulumi/pulumi";
import { makeReleaseInNamespace } from "../../core/helm-release";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions } from "../../core/options";
import { resolveArgs } from "../../core/schema";
import { token } from "../../core/tokens";
import { kubePrometheusStackChart } from "../../core/versions";
import { workloadLabels } from "../../workloads/shared/workload";
import { monitoring, type MonitoringArgs } from "./monitoring-schema";
import { monitoringValues, type MonitoringSettings } from "./monitoring-values";

const releaseName = kubePrometheusStackChart.name;

/**
 * Installs Prometheus with its operator, Alertmanager, Grafana, kube-state-metrics and the node exporter, sized for two
 * t3.medium. kube-state-metrics exports the node labels that the GPU alerts join on. Prometheus selects the rules and
 * monitors of every namespace, including those of GpuAlerts and the GPU Operator.
 *
 * Create it before the components that need its CRDs: GpuAlerts, and a GpuOperator with `serviceMonitor: true`, whose
 * ClusterPolicy otherwise stays notReady. Helm leaves the CRDs in the cluster when it uninstalls the release.
 *
 * Metrics are not persistent: they are lost with the pod. The chart generates Grafana's password and keeps it in the
 * cluster, where `grafanaPasswordCommand` reads it.
 *
 * @cost No additional charge. At rest about 0.3 vCPU and 1.3 GiB on the system nodes, and 32 MiB on every node.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class Monitoring extends pulumi.ComponentResource {
  readonly releaseName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** Version of the chart that is installed. */
  readonly chartVersion: pulumi.Output<string>;
  /** Helm's status of the release, e.g. `deployed` or `failed`. */
  readonly status: pulumi.Output<string>;
  /** Command that forwards port 9090 of your machine to Prometheus. */
  readonly prometheusCommand: pulumi.Output<string>;
  /** Command that forwards port 9093 of your machine to Alertmanager; empty where it is not installed. */
  readonly alertmanagerCommand: pulumi.Output<string>;
  /** Command that forwards port 3000 of your machine to Grafana (user admin); empty where it is not installed. */
  readonly grafanaCommand: pulumi.Output<string>;
  /** Command that prints Grafana's password; empty where it is not installed. */
  readonly grafanaPasswordCommand: pulumi.Output<string>;

  constructor(name: string, args: MonitoringArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `Monitoring "${name}"`;
    const { cluster, transform, ...settings } = resolveArgs(subject, monitoring, args);
    super(token("Monitoring"), name, settings, opts);
    refuseWithoutProvider(subject, this);
    const options = childOptions(this, opts, cluster);
    const chart = {
      name: releaseName,
      chart: kubePrometheusStackChart.name,
      repositoryOpts: { repo: settings.repository },
      values: monitoringValues(settings),
      labels: workloadLabels("monitoring", name),
    };
    const { release, namespaceName } = makeReleaseInNamespace(name, settings, chart, transform, options);

    this.releaseName = release.name;
    this.namespace = release.namespace;
    this.chartVersion = release.version;
    this.status = release.status.status;
    const commands = commandsFor(settings, namespaceName);
    this.prometheusCommand = commands.prometheusCommand;
    this.alertmanagerCommand = commands.alertmanagerCommand;
    this.grafanaCommand = commands.grafanaCommand;
    this.grafanaPasswordCommand = commands.grafanaPasswordCommand;
    const { releaseName: fullName, namespace, chartVersion, status } = this;
    this.registerOutputs({ releaseName: fullName, namespace, chartVersion, status, ...commands });
  }
}

/** The chart names the Services and the Secret after the release. */
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
