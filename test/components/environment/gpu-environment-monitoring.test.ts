import { describe, expect, test } from "vitest";
import { GpuEnvironment, type GpuEnvironmentArgs } from "../../../components";
import type { Recording } from "../../../planner/record/record";
import { byName, ofType, only, plan } from "../../support/plan";

const required = { publicAccessCidrs: ["203.0.113.7/32"] };
const releases = "kubernetes:helm.sh/v3:Release";
const rules = "kubernetes:monitoring.coreos.com/v1:PrometheusRule";

const environment = (args: Partial<GpuEnvironmentArgs>): Promise<Recording> =>
  plan(() => new GpuEnvironment("lab", { ...required, ...args }).outputs);

/** A component and its main child share a name. */
function custom({ resources }: Recording, name: string) {
  return resources.find((resource) => resource.custom && resource.name === name) ?? expect.fail(`no ${name}`);
}

describe("monitoring of an environment", () => {
  test("is not installed by default", async () => {
    const recording = await environment({ gpuOperator: { enabled: true } });
    expect(ofType(recording, releases).map(({ name }) => name)).toEqual(["lab-gpu-operator"]);
    expect(ofType(recording, rules)).toEqual([]);
    expect(recording.outputs["monitoringVersion"]).toBe("none");
    expect(custom(recording, "lab-gpu-operator").inputs).toMatchObject({
      values: { dcgmExporter: { serviceMonitor: { enabled: false } } },
    });
  });

  test("runs on the system nodes, brings alerts and dashboard, and comes before the operator's monitor", async () => {
    const recording = await environment({ gpuOperator: { enabled: true }, monitoring: { enabled: true } });
    const release = custom(recording, "lab-monitoring");
    expect(only(recording, "eks-gpu-lab:index:Monitoring").inputs).toMatchObject({ nodeSelector: { tier: "primary" } });
    expect(release.options.deletedWith).toBe(only(recording, "eks:index:Cluster").urn);
    for (const object of [only(recording, rules), custom(recording, "lab-gpu-dashboard")]) {
      expect(object.dependencies).toContain(release.urn);
      expect(object.options.deletedWith).toBe(release.options.deletedWith);
      expect(object.inputs).toMatchObject({ metadata: { namespace: "monitoring" } });
    }
    const operator = custom(recording, "lab-gpu-operator");
    expect(operator.dependencies).toContain(release.urn);
    expect(operator.inputs).toMatchObject({ values: { dcgmExporter: { serviceMonitor: { enabled: true } } } });
  });

  test("without Grafana has no dashboard; in another namespace everything is there", async () => {
    const recording = await environment({ monitoring: { enabled: true, grafana: false, namespace: "metrics" } });
    expect(ofType(recording, "eks-gpu-lab:index:GpuDashboard")).toEqual([]);
    expect(only(recording, rules).inputs).toMatchObject({ metadata: { namespace: "metrics" } });
  });

  test("alerts and dashboard read the operator's namespace", async () => {
    const recording = await environment({
      gpuOperator: { enabled: true, namespace: "nvidia" },
      monitoring: { enabled: true },
    });
    for (const object of [only(recording, rules), custom(recording, "lab-gpu-dashboard")]) {
      const text = JSON.stringify(object.inputs).replaceAll("\\", "");
      expect(text).toContain('namespace="nvidia"');
      expect(text).not.toContain('namespace="gpu-operator"');
    }
  });

  test("the operator's monitor can be left out still", async () => {
    const recording = await environment({
      gpuOperator: { enabled: true, serviceMonitor: false },
      monitoring: { enabled: true },
    });
    expect(custom(recording, "lab-gpu-operator").inputs).toMatchObject({
      values: { dcgmExporter: { serviceMonitor: { enabled: false } } },
    });
  });

  test("each of its resources can be adjusted", async () => {
    const recording = await environment({
      monitoring: { enabled: true },
      transform: {
        monitoring: {
          release: { maxHistory: 3 },
          namespace: (args) => void (args.metadata = { name: "monitoring", labels: { team: "a" } }),
          alerts: (args) => void (args.metadata = { name: "own" }),
          dashboard: { immutable: true },
        },
      },
    });
    expect(custom(recording, "lab-monitoring").inputs).toMatchObject({ maxHistory: 3 });
    expect(byName(recording, "lab-monitoring-namespace").inputs).toMatchObject({ metadata: { labels: { team: "a" } } });
    expect(only(recording, rules).inputs).toMatchObject({ metadata: { name: "own" } });
    expect(custom(recording, "lab-gpu-dashboard").inputs).toMatchObject({ immutable: true });
  });
});
