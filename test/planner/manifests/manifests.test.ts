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
  "an object without a kind": [() => new k8s.yaml.v2.ConfigGroup("x", { yaml: "a: 1" }), /has no apiVersion or kind/],
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
  replacements: { replacements: [{ path: "r.yaml" }] },
  vars: { vars: [{ name: "A" }] },
  configurations: { configurations: ["c.yaml"] },
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

/** The objects of a kustomization, and what a plan does not see of it. */
async function kustomized(files: Readonly<Record<string, unknown>>) {
  const texts = Object.entries(files).map(([name, content]) => [name, dump(content)] as const);
  const { resources, findings } = await judged(
    () => void new k8s.kustomize.v2.Directory("x", { directory: folder(Object.fromEntries(texts)) }),
  );
  return {
    objects: resources.filter(({ parent }) => parent?.endsWith("Directory::x")).map(({ inputs }) => inputs),
    unseen: findings.filter(({ rule }) => rule === "unseen").map(({ message }) => message),
  };
}

test("a kustomization changes names, namespaces, labels, replicas and images as kustomize does", async () => {
  const { Deployment, PyTorchJob } = workloads;
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: { app: "train" } },
  };
  const { objects, unseen } = await kustomized({
    "kustomization.yaml": {
      ...{ resources: ["base"], namespace: "gpu", namePrefix: "p-", nameSuffix: "-s", commonLabels: { team: "ml" } },
      labels: [{ pairs: { a: "b" } }, { pairs: { c: "d" }, includeTemplates: true }],
      replicas: [{ name: "train", count: 5 }],
      images: [{ name: "nvidia/cuda", newName: "mirror:5000/cuda", newTag: "13" }],
      helmGlobals: { chartHome: "charts" },
    },
    "base/kustomization.yaml": { resources: ["all.yaml"], namePrefix: "b-" },
    "base/all.yaml": {
      apiVersion: "v1",
      kind: "List",
      items: [Deployment, service, PyTorchJob, { apiVersion: "v1", kind: "Namespace", metadata: { name: "old" } }],
    },
  });
  expect(unseen).toEqual([]);
  const labels = { a: "b", c: "d", team: "ml" };
  const metadata = (name: string) => ({ name: `p-b-${name}-s`, namespace: "gpu", labels });
  const image = (object: unknown) => (object as { containers: { image: string }[] }).containers[0]?.image;
  const [deployment, web, job, namespace] = objects as [(typeof workloads)["Deployment"], object, object, object];
  expect(deployment).toMatchObject({
    metadata: metadata("train"),
    spec: { replicas: 5, selector: { matchLabels: { app: "train", team: "ml" } } },
  });
  expect(deployment.spec.selector.matchLabels).not.toHaveProperty("c");
  expect(deployment.spec.template.metadata.labels).toEqual({ app: "train", c: "d", team: "ml" });
  expect(image(deployment.spec.template.spec)).toBe("mirror:5000/cuda:13");
  expect(web).toMatchObject({ metadata: metadata("web"), spec: { selector: { app: "train", team: "ml" } } });
  const worker = { metadata: { labels: { app: "train" } }, spec: { containers: [{ image: "mirror:5000/cuda:13" }] } };
  expect(job).toMatchObject({
    metadata: metadata("train"),
    spec: { pytorchReplicaSpecs: { Worker: { template: worker } } },
  });
  expect(namespace).toMatchObject({ metadata: { name: "gpu", labels } });
});

test.for([
  [{ name: "a/b", digest: "sha256:1" }, "a/b:1", "a/b@sha256:1"],
  [{ name: "a/b", newTag: "2", digest: "sha256:1" }, "a/b", "a/b:2@sha256:1"],
  [{ name: "a/b", newName: "c" }, "a/b:1@sha256:2", "c:1@sha256:2"],
  [{ name: "a/b", tagSuffix: "-x" }, "a/b:1", "a/b:1-x"],
  [{ name: "h:5000/b", newTag: "2" }, "h:5000/b", "h:5000/b:2"],
  [{ name: "a", newTag: "2" }, "a/b:1", "a/b:1"],
] as const)("images %j of a kustomization changes %s to %s", async ([change, before, after]) => {
  const spec = { initContainers: [{ name: "x", image: before }] };
  const { objects } = await kustomized({
    "kustomization.yaml": { resources: ["a.yaml"], images: [{ name: "other", newTag: "0" }, change] },
    "a.yaml": { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec },
  });
  expect(objects).toMatchObject([{ spec: { initContainers: [{ image: after }] } }]);
});

const patch = { kind: "Job", metadata: { name: "train" }, spec: { suspend: true } };

test.for([
  ["a target", { patches: [{ target: { kind: "Job" }, patch: "- op: remove" }] }],
  ["a target by its former name", { patches: [{ target: { name: "tr.*", kind: "Job" }, path: "p.yaml" }] }],
  ["a patch in a file", { patches: [{ path: "p.yaml" }] }],
  ["a patch in a text", { patchesStrategicMerge: [dump(patch)] }],
  ["a JSON patch", { patchesJson6902: [{ target: { version: "v1", kind: "Job", name: "b-train" }, path: "j.yaml" }] }],
  ["a component", { components: ["../part"] }],
] as const)("only the object of %s is unknown", async ([, content]) => {
  const { objects, unseen } = await kustomized({
    "kustomization.yaml": { resources: ["overlay"] },
    "overlay/kustomization.yaml": { resources: ["../base"], ...content },
    "overlay/p.yaml": patch,
    "part/kustomization.yaml": { kind: "Component", patches: [{ patch: dump(patch) }] },
    "base/kustomization.yaml": { resources: ["a.yaml", "b.yaml"], namePrefix: "b-" },
    "base/a.yaml": workloads.Job,
    "base/b.yaml": workloads.Deployment,
  });
  expect(objects).toMatchObject([{ kind: "Deployment", metadata: { name: "b-train" } }]);
  expect(unseen).toEqual([expect.stringMatching(/ patches Job b-train, and an offline plan applies no patch\n/)]);
});

test("a patch that cannot be read may change each object", async () => {
  const { objects, unseen } = await kustomized({
    "kustomization.yaml": { resources: ["a.yaml"], patches: [{ path: "gone.yaml" }] },
    "a.yaml": workloads.Job,
  });
  expect(objects).toEqual([]);
  expect(unseen).toHaveLength(1);
});

test.for(["helmCharts", "generators"])("what %s add is unknown, and other objects are judged", async (field) => {
  const { objects, unseen } = await kustomized({
    "kustomization.yaml": { resources: ["a.yaml"], [field]: [{ name: "nginx" }] },
    "a.yaml": workloads.Job,
  });
  expect(objects).toHaveLength(1);
  expect(unseen).toEqual([expect.stringContaining(`has ${field}, which`)]);
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
