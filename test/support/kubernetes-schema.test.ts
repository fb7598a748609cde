import { Deployment } from "@pulumi/kubernetes/apps/v1/deployment";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap";
import { Release } from "@pulumi/kubernetes/helm/v3/release";
import { Provider } from "@pulumi/kubernetes/provider";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import { expect, test } from "vitest";
import { isOfKubernetes, manifestProblems, recordingProblems } from "./kubernetes-schema";
import { plan } from "./plan";

const container = { name: "main", image: "busybox:1.37.0" };
const pod = (spec: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: { containers: [container], ...spec },
});
const deployment = (strategy: object) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  spec: { selector: {}, strategy, template: { spec: { containers: [container] } } },
});
const withContainer = (more: object) => pod({ containers: [{ ...container, ...more }] });
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

test.for([
  ["a small pod", pod({}), []],
  ["what is known only later", pod({ nodeName: unknown, tolerations: unknown, containers: [unknown] }), []],
  [
    "a misspelt key deep in a pod",
    withContainer({ livenessProbe: { httpGet: { port: 80, httpHeader: [] } } }),
    ["spec.containers[0].livenessProbe.httpGet.httpHeader: there is no such key"],
  ],
  [
    "a misspelt key in a pod template",
    { ...deployment({}), spec: { selector: {}, template: { spec: { containers: [container], hostNetworks: true } } } },
    ["spec.template.spec.hostNetworks: there is no such key"],
  ],
  ["a missing name", pod({ containers: [{ image: "a" }] }), ["spec.containers[0].name: is missing"]],
  ["no containers", { ...pod({}), spec: {} }, ["spec.containers: is missing"]],
  [
    "a number for a text",
    withContainer({ env: [{ name: "A", value: 1 }] }),
    ["spec.containers[0].env[0].value: must be string, is 1"],
  ],
  ["a text for a number", pod({ activeDeadlineSeconds: "5" }), ['spec.activeDeadlineSeconds: must be number, is "5"']],
  ["a fraction", pod({ activeDeadlineSeconds: 1.5 }), ["spec.activeDeadlineSeconds: must be number, is 1.5"]],
  ["a text for a switch", pod({ hostNetwork: "true" }), ['spec.hostNetwork: must be boolean, is "true"']],
  [
    "an amount that is no text",
    withContainer({ resources: { limits: { "nvidia.com/gpu": 1 } } }),
    ['spec.containers[0].resources.limits["nvidia.com/gpu"]: must be string, is 1'],
  ],
  ["an object for a list", pod({ tolerations: {} }), ["spec.tolerations: must be a list"]],
  ["a list for an object", pod({ securityContext: [] }), ["spec.securityContext: must be an object"]],
  ["a text for a map", pod({ nodeSelector: "a" }), ["spec.nodeSelector: must be an object"]],
  ["null", pod({ affinity: null }), ["spec.affinity: must be an object"]],
  ["a number or a text, as numbers", deployment({ rollingUpdate: { maxSurge: 0 } }), []],
  ["a number or a text, as texts", deployment({ rollingUpdate: { maxSurge: "25%" } }), []],
  [
    "neither",
    deployment({ rollingUpdate: { maxSurge: true } }),
    ["spec.strategy.rollingUpdate.maxSurge: must be IntOrString, is true"],
  ],
  [
    "no time",
    { ...pod({}), metadata: { creationTimestamp: "soon" } },
    ['metadata.creationTimestamp: must be Date, is "soon"'],
  ],
  [
    "a word of JavaScript",
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
    },
    [],
  ],
  [
    "a mount without a volume",
    withContainer({ volumeMounts: [{ name: "x", mountPath: "/x" }] }),
    ["spec.containers.volumeMounts: there is no volume x"],
  ],
  [
    "a mount with its volume",
    pod({ volumes: [{ name: "x" }], containers: [{ ...container, volumeMounts: [{ name: "x", mountPath: "/x" }] }] }),
    [],
  ],
  ["a name used twice", pod({ containers: [container, container] }), ["spec.containers: main is there twice"]],
  [
    "a double variable",
    withContainer({ env: [{ name: "A" }, { name: "A" }] }),
    ["spec.containers.env: A is there twice"],
  ],
  [
    "a name that is none",
    { ...pod({}), metadata: { name: "GPU_probe" } },
    ['metadata.name: must be a DNS subdomain of at most 253 characters, is "GPU_probe"'],
  ],
  [
    "a selector that misses its pods",
    {
      ...deployment({}),
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "c" } }, spec: { containers: [container] } },
      },
    },
    ["spec.selector.matchLabels: the pods lack a"],
  ],
  [
    "a Job that never ends",
    { apiVersion: "batch/v1", kind: "Job", spec: { template: { spec: { containers: [container] } } } },
    ["spec.template.spec.restartPolicy: must be Never or OnFailure in a Job"],
  ],
  [
    "a CronJob whose pods mount what there is not, and never end",
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      spec: {
        schedule: "@hourly",
        jobTemplate: {
          spec: {
            template: { spec: { containers: [{ ...container, volumeMounts: [{ name: "x", mountPath: "/x" }] }] } },
          },
        },
      },
    },
    [
      "spec.jobTemplate.spec.template.spec.containers.volumeMounts: there is no volume x",
      "spec.jobTemplate.spec.template.spec.restartPolicy: must be Never or OnFailure in a Job",
    ],
  ],
  [
    "a request of GPUs without a limit",
    withContainer({ resources: { requests: { "nvidia.com/gpu": "1" } } }),
    ["spec.containers[0].resources.requests: nvidia.com/gpu has no limit"],
  ],
  ["a kind there is not", { apiVersion: "v1", kind: "Pods" }, ["kind: Kubernetes has no v1 Pods"]],
  ["no kind", {}, [": apiVersion and kind must be texts"]],
  ["nothing", undefined, [": apiVersion and kind must be texts"]],
] as const)("%s", ([, manifest, problems]) => expect(manifestProblems(manifest)).toEqual(problems));

test("a recording is judged resource by resource, custom ones too; a chart is none", async () => {
  const recording = await plan(() => {
    const opts = { provider: new Provider("cluster", { kubeconfig: "{}" }) };
    const fine = new ConfigMap("fine", { metadata: { name: "fine" }, data: { a: "b" } }, opts);
    const labels = { app: fine.id };
    const spec = { containers: [{ ...container, imagePullPolice: "Always" }] };
    new Deployment(
      "bad",
      { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } },
      opts,
    );
    new Release("chart", { chart: "a", values: { nonsense: true } }, opts);
    new CustomResource("unheard-of", { apiVersion: "example.com/v1", kind: "Lamp", spec: {} }, opts);
  });
  expect(recordingProblems(recording)).toEqual({
    bad: ["spec.template.spec.containers[0].imagePullPolice: there is no such key"],
    "unheard-of": ["kind: there is no table of the fields of example.com/v1 Lamp"],
  });
});

test.for([
  ["kubernetes:core/v1:Pod", true],
  ["kubernetes:networking.k8s.io/v1:NetworkPolicy", true],
  ["kubernetes:autoscaling/v2:HorizontalPodAutoscaler", true],
  ["kubernetes:monitoring.coreos.com/v1:PrometheusRule", false],
  ["kubernetes:helm.sh/v3:Release", false],
  ["aws:eks/cluster:Cluster", false],
  ["pulumi:providers:kubernetes", false],
] as const)("%s is Kubernetes' own: %s", ([type, own]) => expect(isOfKubernetes(type)).toBe(own));

test("an object of another kind than its type is reported", () => {
  const resource = {
    name: "a",
    type: "kubernetes:core/v1:Pod",
    inputs: { ...pod({}), apiVersion: "v1", kind: "Node" },
  };
  const problems = recordingProblems({ resources: [resource] } as unknown as Parameters<typeof recordingProblems>[0]);
  expect(problems["a"]?.[0]).toBe("kind: the type is kubernetes:core/v1:Pod, the object v1:Node");
});
