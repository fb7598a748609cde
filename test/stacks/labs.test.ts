import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { inDays } from "../../components/core/faults";
import { openProject, planStack, type OpenProject } from "../../planner/plan-stack";
import type { Plan } from "../../planner/plan";
import { comparablePlan } from "../../planner/diff/comparable-plan";
import { differenceOf } from "../../planner/diff/diff";
import { stackConfig } from "../../planner/program/stack-config";
import type { RecordedResource } from "../../planner/record/recorded-resource";
import { served } from "../../policies/engine/serve";
import { packs } from "../../policies/packs";
import type { PlanDifference } from "../../planner/diff/diff";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { readLabConfig } from "../../stacks/run/lab-config";
import { labs } from "../../stacks/labs";
import { recordingProblems } from "../support/kubernetes-schema";
import { namedRules, remediesOf } from "../support/labs";
import { levelOf, nameIn, namespaceIn, restrictedProblems } from "../support/pod-security";
import { ownProject } from "../support/own-project";

let project: OpenProject;
beforeAll(async () => {
  project = await openProject(ownProject);
});

const now = new Date();

const plans = new Map<string, Promise<Plan>>();

/** A plan is made once, and no test changes it. */
function planned(stack: string, config: readonly string[] = [], pack = packs.lab): Promise<Plan> {
  const key = JSON.stringify([stack, config, pack.name]);
  const plan = plans.get(key) ?? planStack(project, stack, config, served(pack));
  plans.set(key, plan);
  return plan;
}
const broken = async (...args: Parameters<typeof planned>) => {
  const { findings } = await planned(...args);
  return findings.filter(({ level, verdict }) => level === "mandatory" && verdict === "fail").map(({ rule }) => rule);
};

/** What changes in the cloud, as a lab states it but for replacements, which a plan shows as changes. */
function changedIn({ added, removed, changed }: PlanDifference): string[] {
  const custom = ({ type }: { readonly type: string }) => !/^(eks-gpu-lab|pulumi):/.test(type);
  const line = (op: string, { type, name }: { readonly type: string; readonly name: string }) =>
    `${op} ${type.split(":")[2] ?? ""} ${name}`;
  const updates = changed
    .filter(({ to }) => custom(to))
    .map(({ to, properties }) => {
      const paths = properties.map(({ path }) => withDots(path));
      return `${line("update", to)}: ${paths.sort().join(", ")}`;
    });
  return [
    ...removed.filter(custom).map((one) => line("delete", one)),
    ...added.filter(custom).map((one) => line("create", one)),
    ...updates,
  ].sort();
}

/** The engine and a plan write keys with dots in them differently. */
const withDots = (path: string) => path.replace(/\["([^"]+)"\]/g, ".$1");

/** The lines that a lab states; those of what is made anew end where a plan's go on with paths. */
function expectChanges(difference: PlanDifference, said: readonly string[]): void {
  const replaced = said.flatMap((line) => (line.startsWith("replace ") ? [line.replace(/^replace /, "update ")] : []));
  const found = changedIn(difference).map((line) => {
    const [object = ""] = line.split(": ");
    return replaced.includes(object) ? object : line;
  });
  expect(found).toEqual(said.map((line) => withDots(line.replace(/^replace /, "update "))).sort());
}

const all = Object.entries<Lab>(labs);
const faulty = all.flatMap(([name, lab]) => (lab.fault ? [[name, lab] as const] : []));

/** What a lab changes of the base environment. */
const changedTypes: Readonly<Record<string, readonly string[]>> = {
  "node-health": ["aws:eks/nodeGroup:NodeGroup"],
  // Its limit, its taint, the tolerations of the taint, and objects whose names contain the lab's.
  "no-node-comes": [
    ...["kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "kubernetes:karpenter.sh/v1:NodePool"],
    ...["kubernetes:helm.sh/v3:Release", "aws:eks/addon:Addon", "kubernetes:core/v1:ServiceAccount"],
    ...["ClusterRole", "ClusterRoleBinding"].map((kind) => `kubernetes:rbac.authorization.k8s.io/v1:${kind}`),
  ],
};

describe.each(all)("the lab %s", (name, lab) => {
  // Node repair is a setting of the group.
  const changes = changedTypes[name] ?? [];
  test("is a small difference from the base environment: it takes nothing away", async () => {
    // Every resource has the name of its lab as a tag.
    const { provisioner = "managedNodeGroup" } = lab.environment?.gpuNodes ?? {};
    const named = await planned("gpu-lab", [`lease.lab=${name}`, `gpuNodes.provisioner=${provisioner}`]);
    const difference = differenceOf(comparablePlan(named), comparablePlan(await planned(name)));
    const names = difference.added.map((one) => one.name);
    // The name of a lease's object contains that of the pool.
    const gone = difference.removed.filter((one) => !names.includes(one.name.replaceAll("gpu-lab", name)));
    expect(gone.map((one) => one.name)).toEqual([]);
    const changed = difference.changed.map(({ to }) => to.type);
    expect(changed.filter((type) => !type.startsWith("eks-gpu-lab:"))).toEqual(changes);
  });

  test("without gpuNodes.provisioner, its plan is that of the provisioner that the lab has, to the byte", async () => {
    const { provisioner = "managedNodeGroup" } = lab.environment?.gpuNodes ?? {};
    const bytesOf = async (...config: string[]) => JSON.stringify((await planned(name, config)).recording);
    expect(await bytesOf(`gpuNodes.provisioner=${provisioner}`)).toBe(await bytesOf());
  });

  test("is accepted by the packs as it is, with nothing to say", async () => {
    for (const pack of [packs.lab, packs.shared]) {
      const { findings } = await planned(name, [], pack);
      expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    }
  });

  test("runs no pod of the validator that its own waiting pods would keep from the GPU", async () => {
    const { resources } = (await planned(name)).recording;
    const requestsGpus = ({ inputs }: RecordedResource) => JSON.stringify(inputs).includes('"nvidia.com/gpu":"');
    const [operator] = resources.filter(({ inputs }) => inputs["chart"] === "gpu-operator");
    const waits = resources.some((one) => one.type.startsWith("kubernetes:") && requestsGpus(one));
    expect(waits).toBe(lab.environment?.gpuOperator !== undefined);
    const withWorkload = { plugin: { env: [{ name: "WITH_WORKLOAD", value: "false" }] } };
    if (waits) expect(operator?.inputs).toMatchObject({ values: { validator: withWorkload } });
  });

  test("makes no object that Kubernetes would refuse for its form, whatever is on", async () => {
    const configs = [[], ...[...togglesOf(lab, now), ...remediesOf(lab, now)].map(({ config }) => config)];
    for (const config of configs) {
      const { recording } = await planned(name, config);
      // The AWS ids of a node class are not known in a plan.
      const { [`${name}-gpu-class`]: _, ...problems } = recordingProblems(recording);
      expect(problems).toEqual({});
    }
  });

  test("keeps its namespace to the pods that it says it needs", async () => {
    const configs = [[], ...[...togglesOf(lab, now), ...remediesOf(lab, now)].map(({ config }) => config)];
    for (const config of configs) {
      const { resources } = (await planned(name, config)).recording;
      const spaces = resources.filter(({ type }) => type === "kubernetes:core/v1:Namespace");
      const own = spaces.find(({ inputs }) => nameIn(inputs) === name);
      expect(levelOf(own?.inputs)).toBe(lab.add && (lab.podSecurity ?? "restricted"));
      if (lab.podSecurity === "privileged") continue;
      const inside = resources.filter(({ inputs }) => namespaceIn(inputs) === name);
      expect(inside.flatMap(({ inputs }) => restrictedProblems(inputs))).toEqual([]);
    }
  });

  test("tells its learner what it asks, what to watch and how to end it", async () => {
    const { recording } = await planned(name);
    expect(recording.outputs).toMatchObject({
      question: lab.question,
      hypothesis: lab.hypothesis,
      watch: [...lab.watch],
      restore: lab.restore,
      duration: `${lab.minutes} minutes`,
      gpuNodes: lab.gpuNodes,
      sessionCost: expect.stringContaining(`${lab.minutes} minutes with `) as string,
      ...(lab.fault && { fault: "off" }),
    });
    expect(lab.question).toMatch(/\?$/);
  });

  test.each([...lab.watch, lab.restore])("a shell can run: %s", (line) => {
    const { calls, complaints } = dryRun(line);
    expect(complaints).toBe("");
    expect(calls).not.toEqual([]);
    const known =
      /^(kubectl (get|describe|logs|exec|rollout) .+|pulumi (stack output \w+( --json)?|config (set|rm) \w+( \w+)?|up( --refresh)?)|jq -r \.\w+|xargs .+|base64 -d)$/;
    for (const call of calls) expect(call).toMatch(known);
  });
});

const onLaptop = faulty.flatMap(([name, { local }]) =>
  typeof local === "string" ? [] : Object.entries(local).map(([gpus, changes]) => ({ name, gpus, changes })),
);

describe.each(onLaptop)("the lab $name on a local cluster with $gpus GPUs", ({ name, gpus, changes }) => {
  const local = ["localCluster.context=laptop", `localCluster.gpus=${gpus}`];
  const on = [...local, ...(togglesOf(labs[name as keyof typeof labs], now)[0]?.config ?? [])];

  test("has no resource on AWS, and uses the context", async () => {
    const { recording } = await planned(name, local);
    expect(recording.resources.filter(({ type }) => /^(pulumi:providers:)?(aws|eks)(:|$)/.test(type))).toEqual([]);
    const provider = recording.resources.find(({ type }) => type === "pulumi:providers:kubernetes");
    expect(provider?.inputs).toEqual({ context: "laptop" });
    expect(recording.outputs).toMatchObject({ cluster: "laptop", fault: "off" });
  });

  test("its fault changes what the lab says, and the packs accept both", async () => {
    const difference = differenceOf(
      comparablePlan(await planned(name, local)),
      comparablePlan(await planned(name, on)),
    );
    // A plan compares JSON inside a string, too; the engine does not.
    expectChanges(
      difference,
      changes.map((line) => line.replace(/\/capacity$/, "/capacity.nvidia.com/gpu")),
    );
    expect([await broken(name, local), await broken(name, on)]).toEqual([[], []]);
  });
});

/** What a line for the shell would call, and what the shell says to it; nothing of it is run. */
function dryRun(line: string): { readonly calls: readonly string[]; readonly complaints: string } {
  const programs = ["kubectl", "pulumi", "jq", "aws"];
  const stubs = programs.map((name) => `${name}() { echo ${name} "$@" >&3; }`).join("\n");
  const { stderr, output } = spawnSync("/bin/bash", ["-c", `PATH=\n${stubs}\n${line}`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const calls = (output[3] ?? "").split("\n").filter((call) => call !== "");
  return { calls, complaints: stderr };
}

describe.each(faulty)("the fault of %s", (name, lab) => {
  const [fault] = togglesOf(lab, now);
  const on = fault?.config ?? [];

  test.each(togglesOf(lab, now))("$name: changes what the lab says, and nothing else", async ({ config, changes }) => {
    const difference = differenceOf(comparablePlan(await planned(name)), comparablePlan(await planned(name, config)));
    expectChanges(difference, changes);
  });

  test.each(remediesOf(lab, now))("and the remedy $name changes what it says of it", async ({ config, changes }) => {
    const difference = differenceOf(
      comparablePlan(await planned(name, on)),
      comparablePlan(await planned(name, config)),
    );
    expectChanges(difference, changes);
    expect(await broken(name, config)).toEqual([]);
  });

  test("is accepted in the lab while its end lies ahead, and in a lab stack of another name", async () => {
    for (const { config } of togglesOf(lab, now)) expect(await broken(name, config)).toEqual([]);
    expect(await broken("gpu-lab", [`lab=${name}`, ...on])).toEqual([]);
  });

  test.for([
    ["without an end", []],
    ["past its end", [`expires=${inDays(-1, now)}`]],
    ["with an end far away", [`expires=${inDays(30, now)}`]],
  ] as const)("is refused %s", async ([, expires]) => {
    const config = [...on.filter((text) => !text.startsWith("expires=")), ...expires];
    await expect(planned(name, config)).rejects.toMatchObject({ problems: [{ path: "expires" }] });
  });

  test.each(togglesOf(lab, now))("$name: is refused on a shared cluster, by its rule", async ({ config }) => {
    const { findings } = await planned(name, config, packs.shared);
    const failed = findings.filter(({ level, verdict }) => level === "mandatory" && verdict === "fail");
    expect(failed.map(({ rule }) => rule)).toContain("experiment-toggle-left-on");
    const onResources = failed.flatMap(({ rule, name: of }) => (of === "" ? [] : [rule]));
    expect(onResources).toEqual(expect.arrayContaining([...(namedRules[name] ?? [])]));
  });

  test("is refused in a stack that is no lab, before anything is made", () => {
    const { values } = stackConfig(project.project, name, on);
    const { problems } = readLabConfig({ ...values, "eks-gpu-lab:lab": name }, "prod");
    expect(problems).toMatchObject([{ path: "stack", got: "prod" }]);
    expect(readLabConfig({ ...values, "eks-gpu-lab:lab": name }, "team-lab").problems).toEqual([]);
  });
});

test("the pod of runtime-socket keeps its logical name, and its name in the cluster does not say the cause", async () => {
  const lab: Lab = labs["runtime-socket"];
  const [fault] = togglesOf(lab, now);
  const { recording } = await planned("runtime-socket", fault?.config);
  const pods = recording.resources.filter(({ type }) => type === "kubernetes:core/v1:Pod");
  expect(pods.map(({ name, inputs }) => [name, inputs["metadata"]])).toEqual([
    ["socket-mount", expect.objectContaining({ name: "node-info", namespace: "runtime-socket" })],
  ]);
  expect(lab.watch.at(-1)).toBe("kubectl describe pod node-info -n runtime-socket");
});
