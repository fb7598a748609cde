import { afterEach, beforeEach, expect, test } from "vitest";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, empty, sharedCluster, startNodes } from "./support/cluster";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { expectMessage, schedulerMessageOf } from "./support/messages";
import { plannedObjects, planner, type PlannedObject } from "./support/planned";
import { triageLive } from "./support/triage";

const name = "gang-deadlock";
const [fault] = togglesOf(labs[name], new Date());
const trains = ["train-a-0 Running", "train-a-1 Running"];
const deadlock = ["train-a-0 Running", "train-a-1 Pending", "train-b-0 Running", "train-b-1 Pending"];

describeCluster("the lab gang-deadlock on two GPU nodes", () => {
  const cluster = sharedCluster();
  const planned = planner();
  const pods = () => cluster.admin.list<Pod>(`/api/v1/namespaces/${name}/pods`);
  const phases = async () => (await pods()).map(({ metadata, status }) => `${metadata.name} ${status.phase}`).sort();
  const phasesAre = (wanted: readonly string[]) =>
    eventually(wanted.join(", "), async () => ((await phases()).join() === wanted.join() ? true : undefined), {
      ...{ seconds: 150, seen: phases },
    });
  const objectsOf = async (config: readonly string[] = []) =>
    plannedObjects(await planned(name, config)).filter(({ line }) => / (?:gang-deadlock|train)-/.test(`${line}-`));

  /** Replaces the StatefulSets as Pulumi does: it waits for the end of their pods. */
  const replace = async (objects: readonly PlannedObject[]) => {
    const sets = objects.filter(({ manifest }) => manifest.kind === "StatefulSet");
    const paths = await Promise.all(sets.map(({ manifest }) => cluster.admin.pathOf(manifest)));
    for (const path of paths) await cluster.admin.delete(path, { propagationPolicy: "Foreground" });
    for (const path of paths) {
      await eventually(`the end of ${path}`, async () => ((await cluster.admin.find(path)) ? undefined : true));
    }
    await apply(objects);
  };
  const apply = async (objects: readonly PlannedObject[]) =>
    expect(
      await applyAll(
        cluster,
        objects.map(({ manifest }): KubernetesObject => manifest),
      ),
    ).toEqual([]);

  beforeEach(async () => {
    await startNodes(cluster, await planned(name), labs[name].gpuNodes);
    await apply(await objectsOf());
    await phasesAre(trains);
  });
  afterEach(() => empty(cluster));

  test("each run gets one GPU and keeps it, triage names both, and the end of the fault ends it", async () => {
    expect((await triageLive("admin", "-n", name)).conclusions).toEqual([]);
    await replace(await objectsOf(fault?.config));
    await phasesAre(deadlock);
    const said = await schedulerMessageOf(cluster.admin, name, "train-a-1");
    expectMessage("gang-deadlock fault", said);
    const seen = () => triageLive("admin", "-n", name);
    const isFound = async () => {
      const report = await seen();
      return report.conclusions[0] === "gang-deadlock" ? report : undefined;
    };
    const { conclusions, evidence } = await eventually("the conclusion", isFound, { seconds: 60, seen });
    expect(conclusions.filter((id) => id === "gang-deadlock")).toHaveLength(1);
    for (const run of ["train-a", "train-b"]) {
      expect(evidence).toContainEqual(expect.stringMatching(`^holds 1 of .*${run}-0 on .*waits for 1 \\(${run}-1\\)$`));
    }
    expect(await phases()).toEqual(deadlock);
    const bound = new Set((await pods()).flatMap(({ spec }) => spec.nodeName ?? []));
    expect(bound.size).toBe(labs[name].gpuNodes);

    await replace(await objectsOf());
    await phasesAre(trains);
  });

  test("the end of one run gives the other one both GPUs", async () => {
    await replace(await objectsOf(fault?.config));
    await phasesAre(deadlock);
    await cluster.admin.merge(`/apis/apps/v1/namespaces/${name}/statefulsets/train-b`, { spec: { replicas: 0 } });
    await phasesAre(trains);
    expect((await triageLive("admin", "-n", name)).conclusions).toEqual([]);
  });
});
