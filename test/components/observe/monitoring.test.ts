import { Provider } from "@pulumi/kubernetes/provider";
import { output } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kubePrometheusStackChart } from "../../../components/core/versions";
import { gpuAlertGroups } from "../../../components/observe/alerts/gpu-alert-rules";
import { GpuAlerts } from "../../../components/observe/gpu-alerts";
import { Monitoring } from "../../../components/observe/monitoring/monitoring";
import {
  monitoringDefaults,
  monitoringProblems,
  type MonitoringArgs,
} from "../../../components/observe/monitoring/monitoring-schema";
import { monitoringValues } from "../../../components/observe/monitoring/monitoring-values";
import { labelsLeftOut } from "../../../components/observe/monitoring/node-labels";
import { firewallRules, trafficModes, type FirewallRule } from "../../../components/network/firewall/firewall-rules";
import { valueAt } from "../../../components/core/reader/paths";
import { recordingProblems } from "../../support/kubernetes-schema";
import { byName, only, plan } from "../../support/plan";
import { wording } from "../../support/wording";
import { objections } from "./judged";

const releaseType = "kubernetes:helm.sh/v3:Release";
const at = (values: unknown, path: string) => valueAt(values, path.split("/"));

const planned = (args: MonitoringArgs = {}) =>
  plan(() => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    new Monitoring("monitoring", args, { provider });
  });
const found = (args: object, prefix?: string) =>
  monitoringProblems(args as MonitoringArgs, prefix).map(({ path, code, got }) => [path, code, got]);

describe("by default", () => {
  test("the Release is exactly this", async () => {
    const { inputs, options } = only(await planned(), releaseType);
    expect(inputs).toEqual({
      name: "kube-prometheus-stack",
      chart: "kube-prometheus-stack",
      repositoryOpts: { repo: "https://prometheus-community.github.io/helm-charts" },
      version: kubePrometheusStackChart.version,
      namespace: "monitoring",
      createNamespace: false,
      values: monitoringValues(monitoringDefaults),
      timeout: 900,
      skipAwait: false,
      atomic: false,
      cleanupOnFail: false,
      compat: "true",
    });
    expect(options.deleteBeforeReplace).toBe(true);
  });

  test("the namespace lets the node exporter in", async () => {
    const recording = await planned();
    const namespace = byName(recording, "monitoring-namespace");
    expect(namespace.inputs["metadata"]).toEqual({
      name: "monitoring",
      labels: {
        "app.kubernetes.io/name": "monitoring",
        "app.kubernetes.io/instance": "monitoring",
        "app.kubernetes.io/part-of": "eks-gpu-lab",
        "app.kubernetes.io/managed-by": "pulumi",
        "pod-security.kubernetes.io/audit": "privileged",
        "pod-security.kubernetes.io/enforce": "privileged",
        "pod-security.kubernetes.io/warn": "privileged",
      },
    });
    const release = only(recording, releaseType);
    expect(release.propertyDependencies["namespace"]).toEqual([namespace.urn]);
    expect(recordingProblems(recording)).toEqual({});
    for (const child of [namespace, release]) {
      expect(child.parent).toBe(only(recording, "eks-gpu-lab:index:Monitoring").urn);
      expect(child.provider).toContain(byName(recording, "cluster").urn);
    }
  });

  test("no password is in what is registered; the chart makes one, and a command reads it", async () => {
    const { resources, outputs } = await plan(() => {
      const provider = new Provider("cluster", { kubeconfig: "{}" });
      const { grafanaPasswordCommand, grafanaCommand, prometheusCommand, alertmanagerCommand } = new Monitoring(
        "monitoring",
        {},
        { provider },
      );
      return { grafanaPasswordCommand, grafanaCommand, prometheusCommand, alertmanagerCommand };
    });
    expect(JSON.stringify(resources.map(({ inputs }) => inputs))).not.toMatch(/password/i);
    expect(outputs).toEqual({
      grafanaPasswordCommand:
        "kubectl get secret -n monitoring kube-prometheus-stack-grafana -o jsonpath='{.data.admin-password}' | base64 -d",
      grafanaCommand: "kubectl port-forward -n monitoring svc/kube-prometheus-stack-grafana 3000:80",
      prometheusCommand: "kubectl port-forward -n monitoring svc/kube-prometheus-stack-prometheus 9090:9090",
      alertmanagerCommand: "kubectl port-forward -n monitoring svc/kube-prometheus-stack-alertmanager 9093:9093",
    });
  });

  test("the packs lab and shared have nothing to say, with the alerts included", async () => {
    const recording = await plan(() => {
      const provider = new Provider("cluster", { kubeconfig: "{}" });
      const monitoring = new Monitoring("monitoring", {}, { provider });
      new GpuAlerts("gpu-alerts", { namespace: monitoring.namespace }, { provider, dependsOn: monitoring });
    });
    expect(objections(recording)).toEqual([]);
  });
});

describe("the values", () => {
  const values = monitoringValues(monitoringDefaults);

  test("export every node label that an expression joins on, in the spelling of kube-state-metrics", () => {
    const exprs = gpuAlertGroups().flatMap(({ rules }) => rules.map(({ expr }) => expr));
    const joined = new Set(
      exprs.flatMap((expr) => [...expr.matchAll(/\blabel_(\w+)=/g)].map(([, label]) => String(label))),
    );
    const [entry = ""] = at(values, "kube-state-metrics/metricLabelsAllowlist") as string[];
    const exported = entry
      .replace(/^nodes=\[|\]$/g, "")
      .split(",")
      .map((label) => label.replace(/[^\w]/g, "_"));
    expect(joined.size).toBeGreaterThan(1);
    expect(exported).toEqual(expect.arrayContaining([...joined]));
    expect(entry).toBe(
      "nodes=[nvidia.com/gpu.present,nvidia.com/gpu,nvidia.com/gpu.product,tier,node.kubernetes.io/instance-type,eks.amazonaws.com/nodegroup,topology.kubernetes.io/zone]",
    );
  });

  test("take rules and monitors of every namespace", () => {
    expect(at(values, "prometheus/prometheusSpec")).toMatchObject({
      ruleSelectorNilUsesHelmValues: false,
      serviceMonitorSelectorNilUsesHelmValues: false,
      podMonitorSelectorNilUsesHelmValues: false,
    });
  });

  test("leave out what EKS hides, and the alerts that it is gone", () => {
    for (const part of ["ControllerManager", "Scheduler", "Etcd", "Proxy", "ApiServer"]) {
      expect(at(values, `kube${part}/enabled`), part).toBe(false);
    }
    expect(at(values, "defaultRules/disabled/KubeAPIDown")).toBe(true);
  });

  test("put the webhook where the control plane reaches it", () => {
    const open = firewallRules(trafficModes({ nccl: "blocked" })).filter(({ peer }) => peer === "controlPlane");
    expect(open.map(({ ports }) => ports?.[0])).toContain(at(values, "prometheusOperator/tls/internalPort"));
  });

  test("read exporters on GPU nodes through the node firewall, until NCCL is blocked and with it everything else", () => {
    const open = (nccl: "open" | "blocked") =>
      firewallRules(trafficModes({ nccl })).filter(
        ({ group, peer, direction }) => group === "node" && peer === "node" && direction === "ingress",
      );
    // The DCGM exporter, the node exporter, the kubelet, kube-state-metrics, a SocketWatch, the operator's own metrics.
    for (const port of [9400, 9100, 10250, 8080, 9750]) {
      const passes = ({ ports }: FirewallRule) => ports !== undefined && ports[0] <= port && port <= ports[1];
      expect(open("open").some(passes), String(port)).toBe(true);
      expect(open("blocked").some(passes), String(port)).toBe(false);
    }
  });

  test("let the node exporter onto every node, and everything else onto the chosen ones", () => {
    const nodeSelector = { tier: "primary" };
    const placed = monitoringValues({ ...monitoringDefaults, nodeSelector });
    expect(at(placed, "prometheus-node-exporter/tolerations")).toEqual([{ operator: "Exists" }]);
    expect(at(placed, "prometheus-node-exporter/nodeSelector")).toBeUndefined();
    for (const path of [
      "prometheus/prometheusSpec",
      "alertmanager/alertmanagerSpec",
      "prometheusOperator",
      "prometheusOperator/admissionWebhooks/patch",
      "grafana",
      "kube-state-metrics",
    ]) {
      expect(at(placed, `${path}/nodeSelector`), path).toEqual(nodeSelector);
    }
  });

  test("ask for what two t3.medium have to spare", () => {
    const requests = [...JSON.stringify(values).matchAll(/"requests":\{"cpu":"(\d+)m","memory":"(\d+)Mi"\}/g)];
    const sum = (i: number) => requests.reduce((total, match) => total + Number(match[i]), 0);
    expect(requests.length).toBe(8);
    expect(sum(1)).toBeLessThanOrEqual(300);
    expect(sum(2)).toBeLessThanOrEqual(1100);
    expect(JSON.stringify(values)).not.toMatch(/"limits":\{[^}]*cpu/);
  });

  test("keep metrics a day, on the node's own disk", () => {
    const spec = at(values, "prometheus/prometheusSpec");
    expect(spec).toMatchObject({
      retention: "24h",
      retentionSize: "2GiB",
      storageSpec: { emptyDir: { sizeLimit: "4Gi" } },
    });
    const longer = monitoringValues({ ...monitoringDefaults, retentionHours: 72, retentionGiB: 5 });
    expect(at(longer, "prometheus/prometheusSpec")).toMatchObject({
      retention: "72h",
      retentionSize: "5GiB",
      storageSpec: { emptyDir: { sizeLimit: "10Gi" } },
    });
  });

  test("keep Prometheus with kube-state-metrics, so that blocked nodes do not silence the alerts", () => {
    for (const path of ["prometheus/prometheusSpec", "alertmanager/alertmanagerSpec", "grafana"]) {
      expect(JSON.stringify(at(values, `${path}/affinity`)), path).toContain(
        '"app.kubernetes.io/name":"kube-state-metrics"',
      );
    }
  });

  test("have Grafana find the dashboards of every namespace, or no Grafana at all", () => {
    expect(at(values, "grafana/sidecar/dashboards")).toEqual({
      enabled: true,
      label: "grafana_dashboard",
      labelValue: "1",
      searchNamespace: "ALL",
    });
    const without = monitoringValues({ ...monitoringDefaults, grafana: false, alertmanager: false });
    expect(at(without, "grafana")).toEqual({ enabled: false });
    expect(at(without, "alertmanager/enabled")).toBe(false);
  });

  test("free-form values are laid over, key by key", () => {
    const laid = monitoringValues({
      ...monitoringDefaults,
      values: { prometheus: { prometheusSpec: { retention: "5d" } } },
    });
    expect(at(laid, "prometheus/prometheusSpec")).toMatchObject({ retention: "5d", retentionSize: "2GiB" });
  });
});

describe("what the arguments change", () => {
  test("namespace, repository, labels, timeout, cluster and transform arrive", async () => {
    const recording = await plan(() => {
      const provider = new Provider("cluster", { kubeconfig: "{}" });
      new Monitoring(
        "monitoring",
        {
          namespace: "observability",
          repository: "https://charts.example.com",
          chartVersion: "88.6.0",
          nodeLabels: ["example.com/team"],
          timeoutSeconds: 1200,
          cluster: provider,
          grafana: false,
          alertmanager: false,
          transform: { release: { atomic: true } },
        },
        { provider },
      );
    });
    const { inputs, options } = only(recording, releaseType);
    expect(inputs).toMatchObject({
      namespace: "observability",
      repositoryOpts: { repo: "https://charts.example.com" },
      version: "88.6.0",
      timeout: 1200,
      atomic: true,
    });
    expect(String(at(inputs, "values/kube-state-metrics/metricLabelsAllowlist"))).toMatch(/,example.com\/team\]$/);
    expect(options.deletedWith).toBe(byName(recording, "cluster").urn);
  });

  test("the engine, and so the policies, see the arguments with their defaults", async () => {
    expect(only(await planned(), "eks-gpu-lab:index:Monitoring").inputs).toEqual(monitoringDefaults);
  });
});

describe("what is wrong", () => {
  const wrong: [args: object, path: string, code: string][] = [
    [{ chartVersion: "latest" }, "chartVersion", "version"],
    [{ chartVersion: "^88.0.0" }, "chartVersion", "version"],
    [{ chartVersion: "92.3.0" }, "chartVersion", "version"],
    [{ namespace: "kube-system" }, "namespace", "not-allowed"],
    [{ namespace: "a_b" }, "namespace", "not-allowed"],
    [{ repository: "http://charts.example.com" }, "repository", "not-allowed"],
    [{ nodeSelector: { tier: 1 } }, "nodeSelector.tier", "wrong-type"],
    [{ nodeSelector: output({}) }, "nodeSelector", "wrong-type"],
    [{ grafana: "yes" }, "grafana", "wrong-type"],
    [{ retentionHours: 2 }, "retentionHours", "out-of-range"],
    [{ retentionGiB: 21 }, "retentionGiB", "out-of-range"],
    [{ nodeLabels: ["*"] }, "nodeLabels[0]", "not-allowed"],
    [{ nodeLabels: ["a],pods=[*"] }, "nodeLabels[0]", "not-allowed"],
    [{ nodeLabels: "tier" }, "nodeLabels", "wrong-type"],
    [{ timeoutSeconds: 30 }, "timeoutSeconds", "out-of-range"],
    [{ grafanaPassword: "hunter2" }, "grafanaPassword", "unknown-key"],
    [{ values: [] }, "values", "wrong-type"],
    [{ values: output({}) }, "values", "wrong-type"],
  ];
  test.for(wrong)("%j", ([args, path, code]) => {
    expect(found(args, "monitoring").map(([where, what]) => [where, what])).toEqual([[`monitoring.${path}`, code]]);
  });

  test("wording", () => {
    const problems = wrong.flatMap(([args]) => monitoringProblems(args as MonitoringArgs));
    expect(wording(problems)).toMatchInlineSnapshot(`
      "chartVersion: Must be an exact version: a range installs different charts over time. | set chartVersion to one exact version, such as "VERSION"
      chartVersion: Must be an exact version: a range installs different charts over time. | set chartVersion to one exact version, such as "VERSION"
      chartVersion: This library writes values of the 88 series. Another series may use other keys, and Helm silently ignores unknown keys. | set chartVersion to "VERSION" or a later version of its series, or use transform.release
      namespace: Every cluster already has this namespace. The component creates its own namespace, with the label privileged. | set namespace to another name, such as "monitoring"
      namespace: Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set namespace to a name such as "monitoring"
      repository: A chart creates privileged objects, so it must come over an encrypted, authenticated connection. | set repository to an https:// repository such as "https://prometheus-community.github.io/helm-charts"
      nodeSelector.tier: Must be a string. | put it in quotes: "1"
      nodeSelector: Must be known when the program starts, so that it can be checked. | set nodeSelector to a plain value
      grafana: Must be true or false. | set grafana to true or false, without quotes
      retentionHours: Must be from 3 to 360 hours. | set retentionHours to a whole number of hours, from 3 to 360
      retentionGiB: Must be from 1 to 20 GiB. | set retentionGiB to a whole number of GiB, from 1 to 20
      nodeLabels[0]: Must be up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit, after an optional domain and a slash. | use a name such as "team" or "example.com/team"
      nodeLabels[0]: Must be up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit, after an optional domain and a slash. | use a name such as "team" or "example.com/team"
      nodeLabels: Must be a list. | set nodeLabels to a list such as ["example.com/team"]
      timeoutSeconds: Must be from 60 to 3600 seconds. | set timeoutSeconds to a whole number of seconds, from 60 to 3600
      grafanaPassword: Unknown key. | use one of chartVersion, namespace, repository, grafana, alertmanager, retentionHours, retentionGiB, nodeLabels, values, timeoutSeconds, nodeSelector, cluster, transform
      values: Must be an object. | set values to an object such as { grafana: { enabled: false } }
      values: Must be known when the program starts, so that it can be checked. | set values to a plain value"
    `);
  });

  test("values that do no harm", () => {
    const allowlist = "nodes=[nvidia.com/gpu.present, nvidia.com/gpu,other]";
    for (const values of [
      {},
      { grafana: { adminUser: "me", admin: { existingSecret: "mine" } }, additionalPrometheusRules: [] },
      { "kube-state-metrics": { metricLabelsAllowlist: ["pods=[a]", allowlist], metricDenylist: [] } },
      { "kube-state-metrics": { metricLabelsAllowlist: ["nodes=[*]"] } },
      { prometheusOperator: { tls: { internalPort: 8443 } } },
      { prometheus: { prometheusSpec: { ruleSelector: {}, replicas: 2 } } },
    ]) {
      expect(found({ values })).toEqual([]);
    }
  });

  test.for<[object, string]>([
    [{ "kube-state-metrics": { metricLabelsAllowlist: [] } }, "kube-state-metrics.metricLabelsAllowlist"],
    [{ "kube-state-metrics": { metricLabelsAllowlist: null } }, "kube-state-metrics.metricLabelsAllowlist"],
    [
      { "kube-state-metrics": { metricLabelsAllowlist: ["nodes=[nvidia.com/gpu]"] } },
      "kube-state-metrics.metricLabelsAllowlist",
    ],
    [{ "kube-state-metrics": { collectors: ["nodes", "pods"] } }, "kube-state-metrics.collectors"],
    [{ "kube-state-metrics": { metricAllowlist: ["kube_pod_info"] } }, "kube-state-metrics.metricAllowlist"],
    [{ "kube-state-metrics": { prometheus: null } }, "kube-state-metrics.prometheus"],
    [
      { "kube-state-metrics": { prometheus: { monitor: { http: { honorLabels: false } } } } },
      "kube-state-metrics.prometheus.monitor.http.honorLabels",
    ],
    [{ kubeStateMetrics: { enabled: false } }, "kubeStateMetrics.enabled"],
    [{ prometheus: { enabled: false } }, "prometheus.enabled"],
    [{ prometheus: { agentMode: true } }, "prometheus.agentMode"],
    [
      { prometheus: { prometheusSpec: { ruleSelectorNilUsesHelmValues: true } } },
      "prometheus.prometheusSpec.ruleSelectorNilUsesHelmValues",
    ],
    [
      { prometheus: { prometheusSpec: { serviceMonitorSelector: { matchLabels: { a: "b" } } } } },
      "prometheus.prometheusSpec.serviceMonitorSelector",
    ],
    [{ prometheusOperator: { namespaces: { releaseNamespace: true } } }, "prometheusOperator.namespaces"],
    [{ prometheusOperator: { tls: { internalPort: 10260 } } }, "prometheusOperator.tls.internalPort"],
    [{ crds: { enabled: false } }, "crds.enabled"],
    [{ grafana: { sidecar: { dashboards: { enabled: false } } } }, "grafana.sidecar.dashboards.enabled"],
    [{ kubeEtcd: { enabled: true } }, "kubeEtcd.enabled"],
    [{ fullnameOverride: "kps" }, "fullnameOverride"],
  ])("values that would break the alerts: %j", ([values, path]) => {
    expect(found({ values }).map(([where, code]) => [where, code])).toEqual([[`values.${path}`, "not-allowed"]]);
  });

  test("a password is refused, and not shown", () => {
    const values = { grafana: { adminPassword: "hunter2" } };
    expect(found({ values })).toEqual([["values.grafana.adminPassword", "not-allowed", "a string"]]);
  });

  test("an unknown key, and a section that is none", () => {
    expect(found({ values: { prometheuss: { password: "hunter2" }, grafana: true } })).toEqual([
      ["values.prometheuss", "unknown-key", {}],
      ["values.grafana", "wrong-type", true],
    ]);
  });

  test("the constructor reports every problem before it creates anything, and needs a provider", async () => {
    await expect(planned({ retentionGiB: 0, grafana: 1 as never })).rejects.toThrow(
      '2 problems with Monitoring "monitoring"',
    );
    await expect(plan(() => void new Monitoring("monitoring", {}))).rejects.toThrow("has no Kubernetes provider");
  });

  test("garbage gives a problem, never a TypeError", () => {
    const property = (read: (garbage: unknown) => unknown) =>
      fc.assert(fc.property(fc.anything(), (garbage) => void read(garbage)));
    property((garbage) => monitoringProblems(garbage as MonitoringArgs));
    for (const key of ["values", "nodeLabels", "nodeSelector", "chartVersion", "transform"]) {
      property((garbage) => monitoringProblems({ [key]: garbage }));
    }
    property((garbage) => monitoringProblems({ values: { "kube-state-metrics": garbage } } as MonitoringArgs));
    property((garbage) => labelsLeftOut([garbage]));
  });
});
