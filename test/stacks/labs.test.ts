import { beforeAll, describe, expect, test } from "vitest";
import { inDays } from "../../components/core/expiry";
import { openProject, planStack, type OpenProject } from "../../planner/plan-stack";
import { comparedPlan } from "../../planner/diff/compared";
import { differenceOf } from "../../planner/diff/diff";
import { packs } from "../../policies/packs";
import { switchesOf, type Lab } from "../../stacks/lab";
import { labs } from "../../stacks/labs";
import { recordingProblems } from "../support/kubernetes-schema";

let project: OpenProject;
beforeAll(async () => {
  project = await openProject(process.cwd());
});

const now = new Date();
const planned = (stack: string, config: readonly string[] = [], pack = packs.lab) =>
  planStack(project, stack, config, pack);
const broken = async (...args: Parameters<typeof planned>) => {
  const { findings } = await planned(...args);
  return findings.filter(({ level, verdict }) => level === "mandatory" && verdict === "fail").map(({ rule }) => rule);
};

/** What stops each lab's fault on a cluster that people share, beside the experiment rule that stops them all. */
const namedRules: Readonly<Record<string, string>> = {
  "device-plugin": "device-plugin-enabled",
  "gpu-rollout": "gpu-rollout-deadlock",
};

const all = Object.entries<Lab>(labs);
const faulty = all.flatMap(([name, lab]) => (lab.fault ? [[name, lab] as const] : []));

describe.each(all)("the lab %s", (name, lab) => {
  // Node repair is a setting of the group.
  const changes = name === "node-health" ? ["aws:eks/nodeGroup:NodeGroup"] : [];
  test("is a small difference from the base environment: it takes nothing away", async () => {
    const difference = differenceOf(comparedPlan(await planned("gpu-lab")), comparedPlan(await planned(name)));
    expect(difference.removed).toEqual([]);
    const changed = difference.changed.map(({ to }) => to.type);
    expect(changed.filter((type) => !type.startsWith("eks-gpu-lab:"))).toEqual(changes);
  });

  test("is accepted by the packs as it is, with nothing to say", async () => {
    for (const pack of [packs.lab, packs.shared]) {
      const { findings } = await planned(name, [], pack);
      expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    }
  });

  test("makes no object that Kubernetes would refuse for its form, whatever is on", async () => {
    const configs = [[], ...switchesOf(lab, now).map(({ config }) => config)];
    for (const config of configs) {
      const { recording } = await planned(name, config);
      expect(recordingProblems(recording)).toEqual({});
    }
  });

  test("tells its learner what it asks, what to watch and how to end it", async () => {
    const { recording } = await planned(name);
    expect(recording.outputs).toMatchObject({
      question: lab.question,
      hypothesis: lab.hypothesis,
      watch: [...lab.watch],
      restore: lab.restore,
      ...(lab.fault && { fault: "off" }),
    });
    expect(lab.question).toMatch(/\?$/);
  });
});

describe.each(faulty)("the fault of %s", (name, lab) => {
  const [fault] = switchesOf(lab, now);
  const on = fault?.config ?? [];

  test("changes what the lab says, and nothing else", async () => {
    const difference = differenceOf(comparedPlan(await planned(name)), comparedPlan(await planned(name, on)));
    const custom = (type: string) => !type.startsWith("eks-gpu-lab:") && !type.startsWith("pulumi:");
    const lines = [
      ...difference.removed.map(({ type, name: of }) => `delete ${type.split(":")[2] ?? ""} ${of}`),
      ...difference.added.map(({ type, name: of }) => `create ${type.split(":")[2] ?? ""} ${of}`),
      ...difference.changed
        .filter(({ to }) => custom(to.type))
        .map(({ to }) => `change ${to.type.split(":")[2] ?? ""} ${to.name}`),
    ].filter((line) => !/ (GpuOperator|Gpu|Nccl|Fault|Socket)[A-Z]\w* /.test(line));
    const said = lab.fault?.changes.map((line) => line.replace(/^(update|replace) /, "change ").replace(/:.*$/, ""));
    expect(lines.sort()).toEqual([...(said ?? [])].sort());
  });

  test("is accepted in the lab while its end lies ahead", async () => {
    expect(await broken(name, on)).toEqual([]);
  });

  test.for([
    ["without an end", []],
    ["past its end", [`expires=${inDays(-1, now)}`]],
    ["with an end far away", [`expires=${inDays(30, now)}`]],
  ] as const)("is refused %s", async ([, expires]) => {
    const config = [...on.filter((text) => !text.startsWith("expires=")), ...expires];
    await expect(planned(name, config)).rejects.toMatchObject({ problems: [{ path: "expires" }] });
  });

  test("is refused on a cluster that people share, by the rule of its accident", async () => {
    const rules = await broken(name, on, packs.shared);
    expect(rules).toContain("experiment-toggle-left-on");
    const named = namedRules[name];
    if (named !== undefined) expect(rules).toContain(named);
  });
});
