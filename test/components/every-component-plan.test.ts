import { PlacementGroup } from "@pulumi/aws/ec2";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as library from "../../components";
import { InputError } from "../../components";
import { byName, ofType, only, plan, reaches } from "../support/plan";
import { componentProblems, components } from "../support/valid-arguments";

type Made = new (name: string, args: object, opts?: pulumi.ComponentResourceOptions) => pulumi.Resource;

/** More arguments, with which a component makes all that it can make. GpuEnvironment has a test of its own. */
const everything: Readonly<Record<string, readonly object[]>> = {
  Vpc: [{ zones: ["ap-northeast-2a", "ap-northeast-2b"], interfaceEndpoints: true, flowLogs: true }],
  NodeFirewall: [{ efa: true }],
  EksCluster: [{ admins: ["arn:aws:iam::123456789012:role/lab/admin"], autoMode: true }],
  ClusterAddons: [{ addons: { coredns: {}, "vpc-cni": {} } }],
  LoadBalancerController: [{ install: true }],
  ClusterAutoscaler: [{ install: true }],
  Karpenter: [{ install: true }],
  SystemNodeGroup: [{ owner: "autoscaler" }],
  GpuProbe: [{}, { schedule: "* * * * *" }],
  GpuDeployment: [{ priority: { value: 1 } }],
  ModelServer: [
    { serviceMonitor: true, tensorParallelSize: 2, token: { secret: "hub" } },
    { cache: { claim: "models" } },
  ],
  SocketWatch: [{ serviceMonitor: true }],
};

const workloads = [
  "GpuProbe",
  "GpuDeployment",
  "ModelServer",
  "NcclTest",
  "FaultInjection",
  "SocketWatch",
  "SocketMount",
  "NodePoolLease",
];
const labels = {
  "app.kubernetes.io/instance": "it",
  "app.kubernetes.io/part-of": "eks-gpu-lab",
  "app.kubernetes.io/managed-by": "pulumi",
};

/** The keys that a section takes, as the fix of an unknown key names them. */
function keysOf(name: string, args: object): readonly string[] {
  const fix = componentProblems(name, args).find(({ code }) => code === "unknown-key")?.fix ?? "";
  return fix.replace("use one of ", "").split(", ");
}

const classOf = (name: string) => library[name as keyof typeof library] as unknown as Made;

/** What a component makes that waits for another resource, and each name that a function of its transform got. */
async function planned(name: string, args: object) {
  const keys = keysOf(name, { ...args, zzzzzzzz: 1 });
  const noted: Record<string, string[]> = {};
  const note = (key: string) => (_args: object, _opts: object, made: string) => void (noted[key] ??= []).push(made);
  const transformKeys = keysOf(name, { ...args, transform: { zzzzzzzz: {} } });
  const transform = Object.fromEntries(transformKeys.map((key) => [key, note(key)]));
  const program = () => {
    const cluster = new Provider("cluster", { kubeconfig: "{}" });
    const first = new PlacementGroup("first", { strategy: "cluster" });
    const tags = keys.includes("tags") && { tags: { team: "ml", Name: "ours" } };
    const more = { ...tags, ...(keys.includes("cluster") && { cluster }), transform };
    new (classOf(name))("it", { ...args, ...more }, { provider: cluster, dependsOn: first });
  };
  const recording = await plan(program, { stack: "gpu-lab" });
  const others = ["eks-gpu-lab-gpu-lab", "cluster", "first"];
  const resources = recording.resources.filter((resource) => !others.includes(resource.name));
  const made = resources.filter(({ type }) => !type.startsWith("eks-gpu-lab:"));
  return { keys, transformKeys, noted, recording, resources, made };
}

const plans = components
  .filter(([name]) => name !== "GpuEnvironment")
  .flatMap(([name, args]) =>
    (everything[name] ?? [{}]).map(
      (more) => [[name, ...Object.keys(more)].join(" "), name, { ...args, ...more }] as const,
    ),
  );

describe.for(plans)("%s", async ([, name, args]) => {
  const { keys, noted, recording, resources, made } = await planned(name, args);
  const component = only(recording, `eks-gpu-lab:index:${name}`);

  test("each resource is adjusted once, by the key of its kind", () => {
    expect(noted).toMatchSnapshot();
    expect(Object.values(noted).flat().sort()).toEqual(made.map((resource) => resource.name).sort());
  });

  test("each resource is in the component, and waits for what the component waits for", () => {
    const own = resources.filter((resource) => !made.includes(resource)).map(({ urn }) => urn);
    const first = byName(recording, "first").urn;
    for (const { name: at, urn, parent } of made)
      expect([at, own.includes(parent ?? ""), reaches(recording, urn, first)]).toEqual([at, true, true]);
  });

  test("objects of Kubernetes are in the cluster of the provider, and go with the cluster", () => {
    const { urn } = byName(recording, "cluster");
    for (const { type, provider, options } of made.filter((one) => one.type.startsWith("kubernetes:"))) {
      expect([type, provider?.startsWith(urn)]).toEqual([type, true]);
      if (keys.includes("cluster")) expect([type, options.deletedWith]).toEqual([type, urn]);
    }
  });

  test("objects of a workload begin with its name, and have its labels", () => {
    if (!workloads.includes(name)) return;
    for (const { name: at, inputs } of made) {
      expect(at).toMatch(/^it(-|$)/);
      expect(inputs).toMatchObject({ metadata: { labels } });
    }
  });

  test("without a provider they would be in the cluster of the local kubeconfig, and are refused", async () => {
    if (!made.some(({ type }) => type.startsWith("kubernetes:"))) return;
    const failing = plan(() => void new (classOf(name))("it", args), { stack: "gpu-lab" });
    await expect(failing).rejects.toThrowErrorMatchingSnapshot();
  });

  test("each resource that takes tags has those of the component, and its Name", () => {
    if (!keys.includes("tags")) return;
    const tagged = made.filter(({ inputs }) => inputs["tags"] !== undefined);
    for (const { inputs } of tagged) expect(inputs["tags"]).toMatchObject({ team: "ml", Name: "ours" });
    expect(tagged.map((resource) => resource.name)).toMatchSnapshot();
  });

  test("policies see neither the transform nor the cluster", () => {
    expect(component.inputs).not.toHaveProperty("transform");
    expect(component.inputs).not.toHaveProperty("cluster");
  });
});

describe.for(components)("wrong arguments of %s", ([name, args]) => {
  test("stop the program before anything is made", async () => {
    let refusal: unknown;
    const program = () => {
      try {
        new (classOf(name))("it", { ...args, zzzzzzzz: 1, transform: { zzzzzzzz: {} } });
      } catch (error) {
        refusal = error;
      }
    };
    const recording = await plan(program, { stack: "gpu-lab" });
    expect(InputError.is(refusal) && refusal.message).toContain(`2 problems with ${name} "it":`);
    expect(ofType(recording, `eks-gpu-lab:index:${name}`)).toEqual([]);
  });

  test.for([null, undefined, 5, "", [], pulumi.output({})])("that are not an object have one problem %#", (given) => {
    expect(componentProblems(name, given as never)).toMatchObject([{ path: "args" }]);
  });

  test("whatever they hold, there are problems and no errors", () => {
    const keys = keysOf(name, { ...args, zzzzzzzz: 1 });
    const garbage = fc.record(Object.fromEntries(keys.map((key) => [key, fc.anything()])), { requiredKeys: [] });
    const check = (given: unknown) => void componentProblems(name, given as object);
    fc.assert(fc.property(fc.oneof(fc.anything(), garbage), check));
    for (const key of keys)
      fc.assert(
        fc.property(fc.anything(), (value) => check({ ...args, [key]: value })),
        { numRuns: 30 },
      );
  });
});
