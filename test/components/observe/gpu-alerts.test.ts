import { output } from "@pulumi/pulumi";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Provider } from "@pulumi/kubernetes/provider";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GpuAlerts, gpuAlertsProblems, type GpuAlertsArgs } from "../../../components";
import { prometheusGroups } from "../../../components/observe/alerts/gpu-alert-rules";
import { recordingProblems } from "../../support/kubernetes-schema";
import { byName, only, plan } from "../../support/plan";
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

test("it waits for what the component waits for", async () => {
  const recording = await plan(() => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    const crds = new Namespace("crds", {}, { provider });
    new GpuAlerts("gpu-alerts", {}, { provider, dependsOn: crds });
  });
  expect(only(recording, type).dependencies).toContain(byName(recording, "crds").urn);
});

describe("what is wrong", () => {
  test("goes with its cluster on destroy", async () => {
    const recording = await plan(() => {
      const provider = new Provider("cluster", { kubeconfig: "{}" });
      new GpuAlerts("gpu-alerts", { cluster: provider }, { provider });
    });
    expect(only(recording, type).options.deletedWith).toBe(byName(recording, "cluster").urn);
  });

  test.for<[object, string, string]>([
    [{ namespace: "Monitoring" }, "namespace", "not-allowed"],
    [{ labels: { release: 1 } }, "labels.release", "wrong-type"],
    [{ labels: { release: "a b" } }, "labels.release", "not-allowed"],
    [{ labels: ["a"] }, "labels", "wrong-type"],
    [{ labels: output({}) }, "labels", "wrong-type"],
    [{ idlePercent: 101 }, "idlePercent", "out-of-range"],
    [{ extraRules: [] }, "extraRules", "unknown-key"],
    [{ transform: { rules: {} } }, "transform.rules", "unknown-key"],
  ])("%j", ([args, path, code]) => {
    expect(gpuAlertsProblems(args as GpuAlertsArgs, "alerts").map((problem) => [problem.path, problem.code])).toEqual([
      [`alerts.${path}`, code],
    ]);
  });

  test("the constructor tells all of it before anything is made", async () => {
    await expect(planned({ idlePercent: 0, longestNodeHours: 0 })).rejects.toThrow(
      'GpuAlerts "gpu-alerts": 2 problems',
    );
  });

  test("no provider", async () => {
    await expect(plan(() => void new GpuAlerts("gpu-alerts", {}))).rejects.toThrow("No Kubernetes provider");
  });

  test("garbage gives a problem, never a TypeError", () => {
    fc.assert(
      fc.property(fc.anything(), (garbage) => {
        expect(() => gpuAlertsProblems(garbage as GpuAlertsArgs)).not.toThrow();
      }),
    );
    for (const key of ["labels", "namespace", "transform", "runbookBaseUrl", "startupMinutes"]) {
      fc.assert(
        fc.property(fc.anything(), (value) => {
          expect(() => gpuAlertsProblems({ [key]: value })).not.toThrow();
        }),
      );
    }
  });
});
