import { output } from "@pulumi/pulumi";
import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test } from "vitest";
import { GpuAlerts, gpuAlertsProblems, type GpuAlertsArgs } from "../../../components/observe/gpu-alerts";
import { prometheusGroups } from "../../../components/observe/alerts/gpu-alert-rules";
import { recordingProblems } from "../../support/kubernetes-schema";
import { byName, only, plan } from "../../support/plan";
import { wording } from "../../support/wording";
import { objections } from "./judged";

const type = "kubernetes:monitoring.coreos.com/v1:PrometheusRule";

const planned = (args: GpuAlertsArgs = {}) =>
  plan(() => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    new GpuAlerts("gpu-alerts", args, { provider });
  });

describe("by default", () => {
  test("the PrometheusRule is exactly this", async () => {
    expect(only(await planned(), type).inputs).toEqual({
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: {
        name: "gpu-alerts",
        namespace: "monitoring",
        labels: {
          "app.kubernetes.io/name": "gpu-alerts",
          "app.kubernetes.io/instance": "gpu-alerts",
          "app.kubernetes.io/part-of": "eks-gpu-lab",
          "app.kubernetes.io/managed-by": "pulumi",
          release: "kube-prometheus-stack",
        },
      },
      spec: { groups: prometheusGroups() },
    });
  });

  test("the CRD takes it", async () => {
    expect(recordingProblems(await planned())).toEqual({});
  });

  test("the packs lab and shared have nothing to say", async () => {
    expect(objections(await planned())).toEqual([]);
  });

  test("it is the component's child, at the cluster's provider; the engine sees the arguments with their defaults", async () => {
    const recording = await planned();
    const component = only(recording, "eks-gpu-lab:index:GpuAlerts");
    const rule = only(recording, type);
    expect(rule.parent).toBe(component.urn);
    expect(rule.provider).toContain(byName(recording, "cluster").urn);
    expect(component.inputs).toEqual({
      operatorNamespace: "gpu-operator",
      startupMinutes: 10,
      newNodeMinutes: 60,
      longestNodeHours: 8,
      idleMinutes: 120,
      idlePercent: 5,
      restartsPerHour: 5,
      pendingMinutes: 10,
      namespace: "monitoring",
      labels: {},
    });
  });
});

test("namespace, labels, thresholds and transform arrive", async () => {
  const { inputs, name, options } = only(
    await planned({
      namespace: output("observability"),
      labels: { release: "prometheus", team: "gpu" },
      longestNodeHours: 2,
      transform: { rule: (_, opts) => void (opts.protect = true) },
    }),
    type,
  );
  expect([name, options.protect]).toEqual(["gpu-alerts", true]);
  expect(inputs).toMatchObject({
    metadata: {
      namespace: "observability",
      labels: { release: "prometheus", team: "gpu", "app.kubernetes.io/part-of": "eks-gpu-lab" },
    },
    spec: { groups: prometheusGroups({ longestNodeHours: 2 }) },
  });
});

describe("what is wrong", () => {
  const wrong: [args: object, path: string, code: string][] = [
    [{ namespace: "Monitoring" }, "namespace", "not-allowed"],
    [{ labels: { release: 1 } }, "labels.release", "wrong-type"],
    [{ labels: { release: "a b" } }, "labels.release", "not-allowed"],
    [{ labels: ["a"] }, "labels", "wrong-type"],
    [{ labels: output({}) }, "labels", "wrong-type"],
    [{ idlePercent: 101 }, "idlePercent", "out-of-range"],
    [{ startupMinutes: 60 }, "newNodeMinutes", "conflict"],
    [{ extraRules: [] }, "extraRules", "unknown-key"],
    [{ transform: { rules: {} } }, "transform.rules", "unknown-key"],
  ];
  test.for(wrong)("%j", ([args, path, code]) => {
    expect(gpuAlertsProblems(args as GpuAlertsArgs, "alerts").map((problem) => [problem.path, problem.code])).toEqual([
      [`alerts.${path}`, code],
    ]);
  });

  test("wording", () => {
    expect(wording(wrong.flatMap(([args]) => gpuAlertsProblems(args as GpuAlertsArgs)))).toMatchInlineSnapshot(`
      "namespace: Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set namespace to a name such as "monitoring"
      labels.release: Must be a string. | put it in quotes: "1"
      labels.release: Must be empty, or up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit. | set labels.release to a string such as "research"
      labels: Must be an object. | set labels to an object such as { release: "prometheus" }
      labels: Must be known when the program starts, so that it can be checked. | set labels to a plain value
      idlePercent: Must be from 1 to 100 percent. | set idlePercent to a whole number of percent, from 1 to 100
      newNodeMinutes: Alerts ignore a node until it is 60 minutes old (startupMinutes), so no node would ever count as new. | set newNodeMinutes to more than 60
      extraRules: Unknown key. | use one of operatorNamespace, startupMinutes, newNodeMinutes, longestNodeHours, idleMinutes, idlePercent, restartsPerHour, pendingMinutes, runbookBaseUrl, namespace, labels, cluster, transform
      transform.rules: Unknown key. | did you mean transform.rule?"
    `);
  });
});
