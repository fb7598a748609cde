import * as aws from "@pulumi/aws";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dump } from "js-yaml";
import { unknownSentinel } from "../../../components/core/wire";
import { asAnalyzed } from "../../../planner/record/recorded-resource";
import { judge } from "../../../policies/engine/judge";
import { packs } from "../../../policies/packs";
import { folder } from "../../support/files";
import { plan } from "../../support/plan";

const { lab } = packs;

/** A pod that several rules reject. */
const spec = {
  hostNetwork: true,
  containers: [{ name: "train", image: "nvidia/cuda:latest", resources: { limits: { "nvidia.com/gpu": 1 } } }],
};
const meta = { name: "train", namespace: "default" };
const template = { metadata: { labels: { app: "train" } }, spec };
const selector = { matchLabels: { app: "train" } };

/** Kinds of rejected workloads, and how the program writes them directly. */
const workloads = {
  Deployment: { apiVersion: "apps/v1", kind: "Deployment", metadata: meta, spec: { replicas: 2, selector, template } },
  StatefulSet: {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: meta },
    spec: { serviceName: "train", selector, template },
  },
  Job: { apiVersion: "batch/v1", kind: "Job", metadata: meta, spec: { template } },
  Pod: { apiVersion: "v1", kind: "Pod", metadata: meta, spec },
  PyTorchJob: {
    ...{ apiVersion: "kubeflow.org/v1", kind: "PyTorchJob", metadata: meta },
    spec: { pytorchReplicaSpecs: { Worker: { replicas: 2, template } } },
  },
};
type Workload = (typeof workloads)[keyof typeof workloads];

const classes = { ...k8s.apps.v1, ...k8s.batch.v1, ...k8s.core.v1, PyTorchJob: k8s.apiextensions.CustomResource };

function direct(object: Workload): unknown {
  const make = classes[object.kind as keyof typeof workloads] as new (name: string, args: object) => unknown;
  return new make("train", object);
}

/** Ways to give the same objects. The folder has each of the files. */
const ways: Readonly<Record<string, (object: Workload, dir: string) => unknown>> = {
  "v1 objs": (object) => new k8s.yaml.ConfigGroup("group", { objs: [object] }),
  "v1 one object": (object) => new k8s.yaml.ConfigGroup("group", { objs: object }),
  "v1 yaml": (object) => new k8s.yaml.ConfigGroup("group", { yaml: [dump(object)] }),
  "v1 file": (_, dir) => new k8s.yaml.ConfigFile("file", { file: join(dir, "train.yaml") }),
  "v1 file by name": (_, dir) => new k8s.yaml.ConfigFile(join(dir, "train.yaml")),
  "v1 glob": (_, dir) => new k8s.yaml.ConfigGroup("group", { files: join(dir, "t*.yaml") }),
  "v1 list": (object) =>
    new k8s.yaml.ConfigGroup("group", { objs: [{ apiVersion: "v1", kind: "List", items: [object] }] }),
  "v1 kustomization": (_, dir) => new k8s.kustomize.Directory("dir", { directory: join(dir, "overlay") }),
  "v2 objs": (object) => new k8s.yaml.v2.ConfigGroup("group", { objs: [object] }),
  "v2 objs of an output": (object) => new k8s.yaml.v2.ConfigGroup("group", { objs: pulumi.output([object]) }),
  "v2 secret objs": (object) => new k8s.yaml.v2.ConfigGroup("group", { objs: [pulumi.secret(object)] }),
  "v2 yaml": (object) => new k8s.yaml.v2.ConfigGroup("group", { yaml: `---\n${dump(object)}---\n# nothing\n` }),
  "v2 file": (_, dir) => new k8s.yaml.v2.ConfigFile("file", { file: join(dir, "train.yaml") }),
  "v2 JSON": (_, dir) => new k8s.yaml.v2.ConfigFile("file", { file: join(dir, "train.json") }),
  "v2 glob": (_, dir) => new k8s.yaml.v2.ConfigGroup("group", { files: [join(dir, "[st]*.y?ml")] }),
  "v2 list": (object) =>
    new k8s.yaml.v2.ConfigGroup("group", {
      yaml: dump({ apiVersion: object.apiVersion, kind: `${object.kind}List`, items: [object] }),
    }),
  "v2 kustomization": (_, dir) => new k8s.kustomize.v2.Directory("dir", { directory: join(dir, "overlay") }),
};

const judged = async (program: () => unknown) => {
  const { resources } = await plan(program);
  return { resources, findings: judge(lab, resources.map(asAnalyzed)) };
};
const told = ({ findings }: Awaited<ReturnType<typeof judged>>) =>
  findings.map(({ rule, verdict, message }) => `${rule} ${verdict} ${message}`).sort();

describe.for(Object.entries(ways))("%s", ([, way]) => {
  test.for(Object.values(workloads))("has the findings of the same $kind in the program", async (object) => {
    const dir = folder({
      "train.yaml": dump(object),
      "train.json": JSON.stringify(object),
      "base/kustomization.yaml": dump({ resources: ["../train.yaml"] }),
      "overlay/kustomization.yml": dump({ resources: ["../base"], configMapGenerator: [{ name: "x" }] }),
    });
    const expected = told(await judged(() => void direct(object)));
    expect(expected.length).toBeGreaterThan(1);
    expect(told(await judged(() => void way(object, dir)))).toEqual(expected);
  });
});

test("resources and findings name the file", async () => {
  const file = join(folder({ "train.yaml": dump(workloads.Job) }), "train.yaml");
  for (const make of [k8s.yaml.ConfigFile, k8s.yaml.v2.ConfigFile]) {
    const { findings, resources } = await judged(() => void new make("file", { file }));
    const files = new Set(findings.map((finding) => finding.file));
    expect(files.size).toBe(1);
    expect([...files][0]).toMatch(/train\.yaml$/);
    expect(resources.find(({ type }) => type === "kubernetes:batch/v1:Job")?.file).toBe([...files][0]);
  }
});

test("the resources of v2 have the names, namespaces, secrets and provider that the provider gives", async () => {
  const { resources } = await plan(() => {
    const provider = new k8s.Provider("cluster", { kubeconfig: "{}" });
    const definition = {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "labs.x.io" } },
      spec: { scope: "Namespaced", names: { kind: "Lab" } },
    };
    const objs = [
      { apiVersion: "v1", kind: "Secret", metadata: { name: "key" }, stringData: { token: "x" } },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "gpu" } },
      definition,
      { apiVersion: "x.io/v1", kind: "Lab", metadata: { name: "one", namespace: "gpu" } },
      { apiVersion: "x.io/v1", kind: "Lab", metadata: { name: "two" } },
      { apiVersion: "y.io/v1", kind: "Other", metadata: { name: "three" } },
    ];
    new k8s.yaml.v2.ConfigGroup("group", { objs, resourcePrefix: "p", skipAwait: true }, { provider });
  });
  const children = resources.filter(({ parent }) => parent?.endsWith("ConfigGroup::group"));
  expect(children.map(({ type, name }) => `${type} ${name}`)).toEqual([
    "kubernetes:core/v1:Secret p:default/key",
    "kubernetes:core/v1:Namespace p:gpu",
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition p:labs.x.io",
    "kubernetes:x.io/v1:Lab p:gpu/one",
    "kubernetes:x.io/v1:Lab p:default/two",
    "kubernetes:y.io/v1:Other p:three",
  ]);
  expect(children[0]?.secretPaths).toEqual(["stringData"]);
  expect(children[0]?.inputs).toMatchObject({ metadata: { annotations: { "pulumi.com/skipAwait": "true" } } });
  expect(new Set(children.map(({ provider }) => provider?.split("::")[3]))).toEqual(new Set(["cluster"]));
});

test("transforms and transformations change what is judged", async () => {
  const pinned = { ...workloads.Pod, spec: { containers: [{ name: "a", image: "a:1" }] } };
  const { resources } = await plan(() => {
    pulumi.runtime.registerResourceTransform(({ type, props, opts }) =>
      type === "kubernetes:core/v1:Pod" ? { props: { ...props, spec: { hostPID: true } }, opts } : undefined,
    );
    new k8s.yaml.v2.ConfigGroup("v2", { objs: [pinned] });
    const transformations = [(object: { metadata: { name: string } }) => void (object.metadata.name = "renamed")];
    new k8s.yaml.ConfigGroup("v1", { yaml: dump(pinned), transformations });
  });
  const pods = resources.filter(({ type }) => type === "kubernetes:core/v1:Pod");
  expect(pods.map(({ name, inputs }) => [name, inputs["spec"]])).toEqual([
    ["v2:default/train", { hostPID: true }],
    ["default/renamed", { hostPID: true }],
  ]);
});

const custom = (apiVersion: string, kind: string) =>
  new k8s.apiextensions.CustomResource("made", { apiVersion, kind, metadata: { name: "made" }, spec: {} });

/** What a plan does not see, and a part of the reason. */
const unseen: Readonly<Record<string, readonly [make: (later: pulumi.Output<string>) => unknown, why: RegExp]>> = {
  "a v1 URL": [() => new k8s.yaml.ConfigFile("x", { file: "https://example.org/a.yaml" }), /a\.yaml is not loaded/],
  "a v1 URL of a group": [() => new k8s.yaml.ConfigGroup("x", { files: "http://example.org/a.yaml" }), /not loaded/],
  "a v2 URL": [() => new k8s.yaml.v2.ConfigFile("x", { file: "https://example.org/a.yaml" }), /a\.yaml is not loaded/],
  "a v2 file that is missing": [() => new k8s.yaml.v2.ConfigFile("x", { file: "no.yaml" }), /no\.yaml cannot be read/],
  "a v2 file name": [(later) => new k8s.yaml.v2.ConfigFile("x", { file: later }), /name of a file is known only after/],
  "a template": [() => new k8s.yaml.v2.ConfigGroup("x", { yaml: "a: {{ .Values.a }}\nb: [" }), /is not YAML/],
  "a v1 template": [() => new k8s.yaml.ConfigGroup("x", { yaml: "a: {{ .Values.a }}\nb: [" }), /is not YAML/],
  "an unknown text": [(later) => new k8s.yaml.v2.ConfigGroup("x", { yaml: later }), /a text is known only after/],
  "unknown objects": [
    (later) => new k8s.yaml.v2.ConfigGroup("x", { objs: later.apply(() => [{}]) }),
    /its objects are known only after/,
  ],
  "an object of an unknown kind": [
    (later) => new k8s.yaml.v2.ConfigGroup("x", { objs: [{ apiVersion: "v1", kind: later }] }),
    /the kind of an object of objs is known only after/,
  ],
  "an object with an unknown name": [
    (later) => new k8s.yaml.ConfigGroup("x", { objs: [{ apiVersion: "v1", kind: "Pod", metadata: { name: later } }] }),
    /the name of an object of objs is known only after/,
  ],
  "an object without a kind": [() => new k8s.yaml.v2.ConfigGroup("x", { yaml: "a: 1" }), /has no apiVersion and kind/],
  "a folder without a kustomization": [() => new k8s.kustomize.v2.Directory("x", { directory: "docs" }), /docs has no/],
  "a remote kustomization": [
    () => new k8s.kustomize.Directory("x", { directory: "github.com/nvidia/gpu//deploy?ref=v1" }),
    /is not loaded/,
  ],
  "a v3 Chart": [() => new k8s.helm.v3.Chart("x", { chart: "nginx" }), /its chart is not rendered/],
  "a v4 Chart": [() => new k8s.helm.v4.Chart("x", { chart: "./chart" }), /its chart is not rendered/],
  "a Release": [() => new k8s.helm.v3.Release("x", { chart: "nginx" }), /Helm creates/],
  "an Application": [() => custom("argoproj.io/v1alpha1", "Application"), /Argo CD creates/],
  "an ApplicationSet": [() => custom("argoproj.io/v1alpha1", "ApplicationSet"), /Argo CD creates/],
  "a HelmRelease": [() => custom("helm.toolkit.fluxcd.io/v2", "HelmRelease"), /Flux creates/],
  "a HelmChart of k3s": [() => custom("helm.cattle.io/v1", "HelmChart"), /k3s creates/],
  "a Release of Crossplane": [() => custom("helm.crossplane.io/v1beta1", "Release"), /Crossplane creates/],
  "a Profile of Sveltos": [() => custom("config.projectsveltos.io/v1beta1", "Profile"), /Sveltos creates/],
  "a Bundle of Fleet": [() => custom("fleet.cattle.io/v1alpha1", "Bundle"), /Fleet creates/],
  "a HelmChartProxy": [() => custom("addons.cluster.x-k8s.io/v1alpha1", "HelmChartProxy"), /Cluster API creates/],
  "a Kustomization": [() => custom("kustomize.toolkit.fluxcd.io/v1", "Kustomization"), /Flux creates/],
  "a remote component": [
    () => new pulumi.ComponentResource("awsx:ec2:Vpc", "x", {}, {}, true),
    /the provider of awsx:ec2:Vpc creates its resources/,
  ],
};

test.for(Object.entries(unseen))("%s is unknown, with its reason", async ([, [make, why]]) => {
  const { findings } = await judged(() => void make(new aws.s3.Bucket("later").id));
  const own = findings.filter(({ rule }) => rule === "unseen");
  expect(own).toHaveLength(1);
  expect(own[0]).toMatchObject({
    verdict: "unknown",
    level: "advisory",
    message: expect.stringMatching(why) as string,
  });
});

const kustomizations: Readonly<Record<string, object>> = {
  patches: { patches: [{ path: "p.yaml" }] },
  images: { images: [{ name: "a", newTag: "1" }] },
  replicas: { replicas: [{ name: "a", count: 3 }] },
  components: { components: ["../c"] },
  helmCharts: { helmCharts: [{ name: "nginx" }] },
  transformers: { transformers: ["t.yaml"] },
};

test.for(Object.entries(kustomizations))("a kustomization with %s is unknown", async ([field, content]) => {
  const dir = folder({
    "kustomization.yaml": dump({ resources: ["a.yaml"], ...content }),
    "a.yaml": dump(workloads.Pod),
  });
  for (const make of [k8s.kustomize.Directory, k8s.kustomize.v2.Directory]) {
    const { resources, findings } = await judged(() => void new make("x", { directory: dir }));
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining(`has ${field}, which`)]);
    expect(resources.filter(({ type }) => type === "kubernetes:core/v1:Pod")).toEqual([]);
  }
});

test("what is read beside something unread is judged, and the SDK's lookups are unknown", async () => {
  const { resources, findings, outputs } = await (async () => {
    const recording = await plan(() => {
      const chart = new k8s.helm.v3.Chart("chart", { chart: "nginx" });
      const group = new k8s.yaml.ConfigGroup("v1", { files: "https://example.org/a.yaml", objs: [workloads.Pod] });
      return {
        ip: chart.getResourceProperty("v1/Service", "web", "status").loadBalancer.ingress[0]!.ip,
        uid: group.getResourceProperty("v1/Service", "web", "metadata").uid,
      };
    });
    return { ...recording, findings: judge(lab, recording.resources.map(asAnalyzed)) };
  })();
  expect(resources.map(({ type }) => type)).toContain("kubernetes:core/v1:Pod");
  expect(findings.filter(({ rule }) => rule === "unseen").map(({ name }) => name)).toEqual([
    "chart",
    "https://example.org/a.yaml",
  ]);
  expect(outputs).toEqual({ ip: unknownSentinel, uid: unknownSentinel });
});

test("a rule pack that judges no object of Kubernetes misses none", async () => {
  const { resources } = await plan(() => void new k8s.helm.v3.Release("x", { chart: "nginx" }));
  const rules = lab.rules.filter(({ rule }) => rule.types.every((type) => type.startsWith("aws:")));
  expect(rules.length).toBeGreaterThan(0);
  expect(judge({ ...lab, rules }, resources.map(asAnalyzed))).toEqual([]);
});
