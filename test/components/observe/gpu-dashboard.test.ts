import { Ajv } from "ajv";
import { Provider } from "@pulumi/kubernetes/provider";
import { output } from "@pulumi/pulumi";
import { dump } from "js-yaml";
import { describe, expect, test } from "vitest";
import { gpuDashboardJson } from "../../../components/observe/dashboard/gpu-dashboard";
import {
  GpuDashboard,
  gpuDashboardProblems,
  type GpuDashboardArgs,
} from "../../../components/observe/dashboard/gpu-dashboard";
import { gpuAlertGroups } from "../../../components/observe/alerts/gpu-alert-rules";
import { gpuDashboardRows } from "../../../components/observe/dashboard/gpu-dashboard-rows";
import { recordingProblems } from "../../support/kubernetes-schema";
import { byName, only, plan } from "../../support/plan";
import { wording } from "../../support/wording";
import { objections } from "./judged";
import { knownMetrics, namesIn, unknownNames } from "./known-metrics";
import { checkRules, hasPromtool } from "./promtool";

/** Every query of the dashboard, with its variables. */
function dashboardExpressions(namespace = "gpu-operator"): string[] {
  const panels = gpuDashboardRows(namespace).flatMap((row) => row.panels);
  return panels.flatMap(({ queries }) => queries.map(({ expr }) => expr));
}

const type = "kubernetes:core/v1:ConfigMap";

const planned = (args: GpuDashboardArgs = {}) =>
  plan(() => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    new GpuDashboard("gpu-dashboard", args, { provider });
  });

interface GridPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}
const panels = gpuDashboardJson()["panels"] as unknown as readonly GridPanel[];

/** What Grafana wants of a dashboard of schema 39; more strict where a slip would show an empty panel. */
const target = {
  type: "object",
  required: ["refId", "datasource", "expr", "legendFormat"],
  properties: { refId: { pattern: "^[A-Z]$" }, expr: { type: "string", minLength: 1 } },
} as const;
const schema = {
  type: "object",
  required: ["uid", "title", "schemaVersion", "panels", "templating", "time", "refresh"],
  properties: {
    uid: { type: "string", pattern: "^[a-zA-Z0-9_-]{1,40}$" },
    schemaVersion: { const: 39 },
    panels: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["id", "type", "title", "gridPos"],
        if: { properties: { type: { const: "row" } } },
        then: { required: ["collapsed", "panels"] },
        else: {
          required: ["datasource", "description", "targets", "fieldConfig", "options"],
          properties: {
            type: { enum: ["timeseries", "stat", "state-timeline", "table"] },
            targets: { type: "array", minItems: 1, items: target },
          },
        },
      },
    },
  },
} as const;

describe("the dashboard", () => {
  test("is what Grafana imports", () => {
    const validate = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false }).compile(schema);
    validate(gpuDashboardJson());
    expect(validate.errors).toBeNull();
    expect(JSON.parse(JSON.stringify(gpuDashboardJson()))).toEqual(gpuDashboardJson());
    expect(gpuDashboardJson()["uid"]).toBe("eks-gpu-lab-gpus");
  });

  test("gives each panel its own id and place", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  test("has these panels", () => {
    const titles = panels.filter((panel) => panel.type !== "row").map(({ title }) => title);
    expect(titles).toEqual([
      ...["GPU nodes", "GPUs advertised", "GPUs requested", "Pods waiting for a GPU", "Nodes without GPUs", "Alerts"],
      ...["GPUs advertised and requested", "Node conditions", "Age of GPU nodes", "DaemonSets of the GPU Operator"],
      ...["Utilization", "Memory used", "Temperature", "Power", "XIDs", "Memory rows remapped"],
      ...["Pods waiting for a GPU", "Restarts in the GPU Operator's namespace"],
      ...["State that the GPU Operator reports", "Sockets replaced by directories", "Requests", "KV cache used"],
    ]);
  });

  test("names every state that the operator reports", () => {
    const says = gpuDashboardRows("gpu-operator").flatMap((row) => row.panels);
    const { words } = says.find(({ title }) => title === "State that the GPU Operator reports") ?? {};
    expect(Object.keys(words ?? {}).sort()).toEqual(["-1", "-2", "0", "1"]);
  });

  test("reads the namespace of the operator", () => {
    expect(dashboardExpressions("nvidia").join("\n")).toContain('namespace="nvidia"');
    expect(JSON.stringify(gpuDashboardJson("nvidia"))).not.toContain("gpu-operator");
  });
});

describe("every expression of the alerts and of the dashboard", () => {
  const alerts = gpuAlertGroups().flatMap(({ rules }) => rules.map(({ expr }) => expr));
  const asked = [...alerts, ...dashboardExpressions().map((expr) => expr.replaceAll("$node", "gpu-1|gpu-2"))];

  test("uses known metrics and labels", () => {
    for (const expr of asked) expect(unknownNames(expr), expr).toEqual([]);
    expect(asked.length).toBeGreaterThan(45);
  });

  test("uses every known metric", () => {
    const named = new Set(asked.flatMap((expr) => namesIn(expr).metrics.map(([name]) => name)));
    expect([...named].sort()).toEqual(Object.keys(knownMetrics).sort());
  });

  test("finds unknown names", () => {
    expect(unknownNames('max by (nod) (kube_node_lables{node="a"}) > 1')).toEqual(["kube_node_lables", "label nod"]);
    expect(unknownNames('kube_node_created{nod="a"} and on (daemonset) down')).toEqual([
      "kube_node_created.nod",
      "down",
      "label daemonset",
    ]);
  });

  test.skipIf(!hasPromtool)("is parsed by promtool", () => {
    const rules = asked.map((expr, i) => ({ record: `asked:${i}`, expr }));
    expect(checkRules(dump({ groups: [{ name: "asked", rules }] }, { lineWidth: -1 }))).toContain(
      `${asked.length} rules found`,
    );
    expect(() => checkRules(dump({ groups: [{ name: "asked", rules: [{ record: "a", expr: "sum(" }] }] }))).toThrow();
  });
});

describe("the component", () => {
  test("makes one ConfigMap, which Grafana's sidecar finds", async () => {
    const recording = await planned();
    expect(only(recording, type).inputs).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "gpu-dashboard",
        namespace: "monitoring",
        labels: {
          "app.kubernetes.io/name": "gpu-dashboard",
          "app.kubernetes.io/instance": "gpu-dashboard",
          "app.kubernetes.io/part-of": "eks-gpu-lab",
          "app.kubernetes.io/managed-by": "pulumi",
          grafana_dashboard: "1",
        },
      },
      data: { "gpus.json": JSON.stringify(gpuDashboardJson(), null, 2) },
    });
    expect(recordingProblems(recording)).toEqual({});
    expect(objections(recording)).toEqual([]);
  });

  test("as its child, at the cluster's provider; the engine sees the arguments with their defaults", async () => {
    const recording = await planned();
    const component = only(recording, "eks-gpu-lab:index:GpuDashboard");
    expect(only(recording, type).parent).toBe(component.urn);
    expect(only(recording, type).provider).toContain(byName(recording, "cluster").urn);
    expect(component.inputs).toEqual({ namespace: "monitoring", operatorNamespace: "gpu-operator", labels: {} });
  });

  test("namespace, labels and transform arrive; the sidecar's label cannot be taken away", async () => {
    const { inputs, options } = only(
      await planned({
        namespace: output("observability"),
        operatorNamespace: "nvidia",
        labels: { team: "gpu", grafana_dashboard: "0" },
        transform: { configMap: (_, opts) => void (opts.protect = true) },
      }),
      type,
    );
    expect(inputs).toMatchObject({
      metadata: { namespace: "observability", labels: { team: "gpu", grafana_dashboard: "1" } },
      data: { "gpus.json": JSON.stringify(gpuDashboardJson("nvidia"), null, 2) },
    });
    expect(options.protect).toBe(true);
  });

  const wrong: [args: object, path: string, code: string][] = [
    [{ namespace: "A" }, "namespace", "not-allowed"],
    [{ operatorNamespace: 'x"}' }, "operatorNamespace", "not-allowed"],
    [{ operatorNamespace: output("a") }, "operatorNamespace", "wrong-type"],
    [{ labels: { "a b": "c" } }, 'labels["a b"]', "not-allowed"],
    [{ folder: "GPU" }, "folder", "unknown-key"],
  ];
  test.for(wrong)("wrong: %j", ([args, path, code]) => {
    const problems = gpuDashboardProblems(args, "dashboard");
    expect(problems.map((problem) => [problem.path, problem.code])).toEqual([[`dashboard.${path}`, code]]);
  });

  test("wording", () => {
    expect(wording(wrong.flatMap(([args]) => gpuDashboardProblems(args)))).toMatchInlineSnapshot(`
      "namespace: Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set namespace to a name such as "monitoring"
      operatorNamespace: Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set operatorNamespace to a name such as "gpu-operator"
      operatorNamespace: Must be known when the program starts, so that it can be checked. | set operatorNamespace to a plain value
      labels["a b"]: Must be up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit, after an optional domain and a slash. | use a name such as "team" or "example.com/team"
      folder: Unknown key. | use one of namespace, operatorNamespace, labels, cluster, transform"
    `);
  });
});
