import { describe, expect, test } from "vitest";
import { amountOf, isQuantity } from "./kubernetes-quantities";
import { manifestProblems } from "./kubernetes-schema";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const container = { name: "main", image: "busybox:1.37.0" };
const metadata = { name: "a", labels: { app: "a" } };
const pod = (spec: object) => ({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [container], ...spec } });
const withContainer = (more: object) => pod({ containers: [{ ...container, ...more }] });
const toleration = (toleration: object) => pod({ tolerations: [toleration] });
const hostPath = (type: string) => pod({ volumes: [{ name: "a", hostPath: { path: "/run", type } }] });
const asks = (requests: object, limits: object) => withContainer({ resources: { requests, limits } });

const selector = { matchLabels: { app: "a" } };
const template = (spec: object = {}) => ({ metadata, spec: { containers: [container], ...spec } });
const deployment = (spec: object, pods = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: { selector, template: template(pods), ...spec },
});
const daemonSet = (spec: object) => ({ ...deployment(spec), kind: "DaemonSet" });
const job = (spec: object) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata,
  spec: { template: template({ restartPolicy: "Never" }), ...spec },
});
const cronJob = (spec: object, name = "a") => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { ...metadata, name },
  spec: { schedule: "@hourly", jobTemplate: { spec: job({}).spec }, ...spec },
});
const service = (spec: object, name = "a") => ({ apiVersion: "v1", kind: "Service", metadata: { name }, spec });
const named = (more: object) => ({ ...pod({}), metadata: { ...metadata, ...more } });
const configMap = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata, data });

test.for([
  toleration({ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }),
  toleration({ operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 }),
  hostPath(""),
  hostPath("Socket"),
  asks({ cpu: "100m", memory: "1Gi" }, { cpu: "1", memory: "1Gi", "nvidia.com/gpu": "4" }),
  asks({ "nvidia.com/gpu": "2" }, { "nvidia.com/gpu": "2" }),
  asks({ "nvidia.com/gpu": "2" }, { "nvidia.com/gpu": unknown }),
  withContainer({ resources: { requests: { "nvidia.com/gpu": "2" }, limits: unknown } }),
  withContainer({ ports: [{ containerPort: 65535, name: "http-1" }] }),
  withContainer({ readinessProbe: { httpGet: { port: "metrics", scheme: "HTTPS" } } }),
  deployment({ strategy: { type: "Recreate" } }),
  deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }),
  daemonSet({ updateStrategy: { type: "OnDelete" } }),
  job({ completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 0, maxFailedIndexes: 1 }),
  cronJob({ concurrencyPolicy: "Forbid" }),
  service({
    type: "ClusterIP",
    ports: [
      { port: 80, targetPort: "http" },
      { port: 81, targetPort: 8080 },
    ],
  }),
  named({ labels: { "app.kubernetes.io/part-of": "a_B.c-1", empty: "" }, annotations: { "Example.com/Any": "a b\n" } }),
  named({ name: "a.b-1" }),
  configMap({ "a_B.sh": "" }),
])("%j", (manifest) => expect(manifestProblems(manifest)).toEqual([]));

describe("refused:", () => {
  test.for<[string, object, string]>([
    [
      "an effect",
      toleration({ key: "a", effect: "NoSchedul" }),
      "spec.tolerations[0].effect: must be one of NoSchedule, ",
    ],
    [
      "an operator",
      toleration({ key: "a", operator: "Exist" }),
      "spec.tolerations[0].operator: must be one of Exists, Equal",
    ],
    ["A value", toleration({ key: "a", operator: "Exists", value: "b" }), "spec.tolerations[0].value: must be empty"],
    ["no key without Exists", toleration({ effect: "NoSchedule" }), "spec.tolerations[0].operator: must be Exists"],
    ["seconds", toleration({ key: "a", tolerationSeconds: 1 }), "spec.tolerations[0].effect: must be NoExecute"],
    ["a kind of path", hostPath("Sockett"), "spec.volumes[0].hostPath.type: must be one of DirectoryOrCreate, "],
    ["a policy", withContainer({ imagePullPolicy: "always" }), "spec.containers[0].imagePullPolicy: must be one of "],
    ["a restart policy", pod({ restartPolicy: "never" }), "spec.restartPolicy: must be one of "],
    ["pods that end", deployment({}, { restartPolicy: "Never" }), "spec.template.spec.restartPolicy: must be Always"],
    ["a strategy", deployment({ strategy: { type: "Rolling" } }), "spec.strategy.type: must be one of Recreate, "],
    ["Recreate", deployment({ strategy: { type: "Recreate", rollingUpdate: {} } }), "spec.strategy.rollingUpdate: "],
    [
      "a rollout that cannot move",
      deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } }),
      "spec.strategy.rollingUpdate.maxUnavailable: must not be 0",
    ],
    ["a strategy of another kind", daemonSet({ updateStrategy: { type: "Recreate" } }), "spec.updateStrategy.type: "],
    ["a mode", job({ completionMode: "indexed" }), "spec.completionMode: must be one of NonIndexed, Indexed"],
    ["indexes without a number", job({ completionMode: "Indexed" }), "spec.completions: is missing"],
    ["a limit by index", job({ backoffLimitPerIndex: 1 }), "spec.backoffLimitPerIndex: must be left out"],
    ["tries below zero", job({ backoffLimit: -1 }), "spec.backoffLimit: must be 0 to "],
    ["a policy", cronJob({ concurrencyPolicy: "forbid" }), "spec.concurrencyPolicy: must be one of Allow, "],
    ["a type of Service", service({ type: "Cluster" }), "spec.type: must be one of ClusterIP, "],
    [
      "an amount",
      asks({ memory: "1 Gbyte" }, {}),
      'spec.containers[0].resources.requests["memory"]: must be a quantity',
    ],
    [
      "a size",
      pod({ volumes: [{ name: "a", emptyDir: { sizeLimit: "1GB" } }] }),
      "spec.volumes[0].emptyDir.sizeLimit: must",
    ],
    ["half a GPU", asks({}, { "nvidia.com/gpu": "1.5" }), "spec.containers[0].resources: nvidia.com/gpu must be whole"],
    [
      "fewer GPUs than the limit",
      asks({ "nvidia.com/gpu": "1" }, { "nvidia.com/gpu": "2" }),
      "spec.containers[0].resources.requests: nvidia.com/gpu must be its limit, 2",
    ],
    [
      "more than the limit",
      asks({ memory: "2Gi" }, { memory: "1025Mi" }),
      "spec.containers[0].resources.requests: memory exceeds",
    ],
    [
      "a port",
      withContainer({ ports: [{ containerPort: 99999 }] }),
      "spec.containers[0].ports[0].containerPort: must be 1 to 65535",
    ],
    [
      "a probe's port",
      withContainer({ livenessProbe: { tcpSocket: { port: 0 } } }),
      "spec.containers[0].livenessProbe.tcpSocket.port: ",
    ],
    [
      "a Service's port",
      service({ ports: [{ port: 80, targetPort: "a-name-that-is-long" }] }),
      "spec.ports[0].targetPort: must be a port's name",
    ],
    ["no image", pod({ containers: [{ name: "main" }] }), "spec.containers[0].image: is missing"],
    ["a container's name", withContainer({ name: "a.b" }), "spec.containers[0].name: must be a DNS label"],
    ["a name", named({ name: "a..b" }), "metadata.name: must be a DNS subdomain"],
    ["a long name", named({ name: "a".repeat(254) }), "metadata.name: must be a DNS subdomain of at most 253"],
    [
      "a Service's name",
      service({}, "1a"),
      "metadata.name: must be a DNS label, a letter first, of at most 63 characters",
    ],
    ["a CronJob's name", cronJob({}, "a".repeat(53)), "metadata.name: must be a DNS subdomain of at most 52"],
    ["a label's value", named({ labels: { a: "a b" } }), 'metadata.labels["a"]: must be a label\'s value'],
    ["a label's key", named({ labels: { "a b": "a" } }), "metadata.labels: must be a label's key"],
    ["a label's key", named({ labels: { "A.example/a": "a" } }), "metadata.labels: must be a DNS subdomain"],
    [
      "an annotation's key",
      named({ annotations: { "a/b/c": "" } }),
      "metadata.annotations: must be a label's key, with one slash",
    ],
    ["a selector's label", pod({ nodeSelector: { a: "-" } }), 'spec.nodeSelector["a"]: must be a label\'s value'],
    ["a key of data", configMap({ "a/b": "" }), "data: must be a key of data"],
    [
      "a variable's name",
      withContainer({ env: [{ name: "A=B" }] }),
      "spec.containers[0].env[0].name: must be a variable's name",
    ],
  ])("%s", ([, manifest, problem]) => expect(manifestProblems(manifest)).toEqual([expect.stringContaining(problem)]));
});

test.for([
  ["1", 1],
  ["0.5", 0.5],
  ["100m", 0.1],
  ["1k", 1000],
  ["1Ki", 1024],
  ["2Gi", 2 * 1024 ** 3],
  ["1e3", 1000],
  ["1E", 1e18],
] as const)("the quantity %s is %d", ([text, amount]) => {
  expect([isQuantity(text), amountOf(text)]).toEqual([true, amount]);
});

test.for(["", "1 Gi", "1GB", "1K", "1ki", "Gi", "1.5.2", "one"])("%j is no quantity", (text) => {
  expect(isQuantity(text)).toBe(false);
});
