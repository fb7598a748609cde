import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Recording } from "../../planner/record/record";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { labs } from "../../stacks/labs";
import { remediesOf } from "../support/labs";
import { levelOf } from "../support/pod-security";
import { Refused, type Client, type KubernetesObject } from "./support/client";
import { applyAll, describeCluster, empty, sharedCluster, startNodes } from "./support/cluster";
import { eventually } from "./support/eventually";
import { startJob } from "./support/job";
import { clusterPolicyOf } from "./support/custom-resources";
import { clusterPoliciesOf, plannedObjects, planner, type PlannedObject } from "./support/planned";

const now = new Date();

interface Workload extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly generation: number };
  readonly status: Readonly<Record<string, number | undefined>>;
}

/** Number of pods that a controller has created for the last version of a workload. */
const podsOf: Readonly<Record<string, (status: Workload["status"]) => number | undefined>> = {
  Deployment: ({ updatedReplicas }) => updatedReplicas,
  DaemonSet: ({ updatedNumberScheduled }) => updatedNumberScheduled,
  StatefulSet: ({ updatedReplicas }) => updatedReplicas,
  Job: ({ active = 0, succeeded = 0, failed = 0 }) => active + succeeded + failed,
};

/** Waits until the controllers have created pods for all workloads. A CronJob's Job is created at once. */
async function expectPods(admin: Client, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) {
    const own = object.kind === "CronJob" ? await startJob(admin, object) : object;
    const count = podsOf[own.kind ?? ""];
    // A run of gang-deadlock that has not been started has no pods.
    const { replicas } = (own as { readonly spec?: { readonly replicas?: number } }).spec ?? {};
    if (!count || replicas === 0) continue;
    const path = await admin.pathOf(own);
    await eventually(
      `pods of ${own.kind} ${own.metadata.name}`,
      async () => {
        const { metadata, status } = await admin.get<Workload>(path);
        const isCurrent = own.kind === "Job" || status["observedGeneration"] === metadata.generation;
        return (isCurrent && (count(status) ?? 0) > 0) || undefined;
      },
      { seconds: 30, seen: async () => [await admin.get(path), await failedCreates(admin)] },
    );
  }
}

async function failedCreates(admin: Client): Promise<unknown[]> {
  const events = await admin.list("/api/v1/events?fieldSelector=reason%3DFailedCreate");
  return events.map(({ message }) => message);
}

/** Changes objects as an update with Pulumi does: in place, unless the lab states that the object is replaced. */
async function change(
  admin: Client,
  from: readonly PlannedObject[],
  to: readonly PlannedObject[],
  changes: readonly string[],
): Promise<string[]> {
  const states = (op: string, line: string) => changes.some((one) => one.split(": ")[0] === `${op} ${line}`);
  for (const { line, manifest } of from) {
    if (!to.some((one) => one.line === line) || states("replace", line)) await remove(admin, manifest);
  }
  const warnings: string[] = [];
  for (const { line, manifest } of to) {
    try {
      warnings.push(...(await applyAll({ admin }, [manifest])));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw new Error(`${line} cannot be changed as the lab states (${changes.join("; ")}): ${error.message}`, {
        cause: error,
      });
    }
  }
  return warnings;
}

async function remove(admin: Client, manifest: KubernetesObject): Promise<void> {
  const path = await admin.pathOf(manifest);
  await admin.delete(path);
  await eventually(`the end of ${path}`, async () => ((await admin.find(path)) ? undefined : true));
}

/** Objects of Karpenter are tested in a cluster that has it: in no-node-comes.test.ts. */
const objectsOf = (recording: Recording) =>
  plannedObjects(recording).filter(({ manifest }) => !manifest.apiVersion?.startsWith("karpenter."));

describeCluster("the API server of the supported minor", () => {
  const cluster = sharedCluster();
  const planned = planner();

  test("refuses custom resources that their definitions do not allow", async () => {
    const rule = { alert: "Idle", expr: "up == 0", labels: { severity: "warning" } };
    const prometheusRule = (fields: object) => ({
      ...{ apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule", metadata: { name: "one" } },
      spec: { groups: [{ name: "gpu", rules: [{ ...rule, ...fields }] }] },
    });
    expect(await applyAll(cluster, [prometheusRule({ for: "5m" })])).toEqual([]);
    const apply = (manifest: KubernetesObject) => cluster.admin.apply(manifest);
    await expect(apply(prometheusRule({ forr: "5m" }))).rejects.toThrow(
      /rules\[0\]\.forr: field not declared in schema/,
    );
    await expect(apply(prometheusRule({ for: "5 minutes" }))).rejects.toThrow(/rules\[0\]\.for: Invalid value/);
    const policy = clusterPolicyOf({ devicePlugin: { enabled: false } });
    expect(await applyAll(cluster, [policy])).toEqual([]);
    await expect(apply(clusterPolicyOf({ devicePlugin: { enbled: false } }))).rejects.toThrow(/\.enbled: field not/);
    await expect(apply(clusterPolicyOf({ mig: { strategy: "double" } }))).rejects.toThrow(
      /Unsupported value: "double"/,
    );
  });

  test("refuses a field that does not exist, and a privileged pod in a restricted namespace", async () => {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "strict", labels } };
    expect(await applyAll(cluster, [namespace])).toEqual([]);
    const metadata = { name: "one", namespace: "strict" };
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata, date: {} } as KubernetesObject;
    await expect(cluster.admin.apply(config)).rejects.toThrow(/\.date: field not declared in schema/);
    const spec = { containers: [{ name: "main", image: "pause", securityContext: { privileged: true } }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata, spec };
    await expect(cluster.admin.apply(pod)).rejects.toThrow(/violates PodSecurity "restricted/);
  });

  describe.each(Object.entries<Lab>(labs))("the lab %s", (name, lab) => {
    const gpuNodes = Math.max(lab.gpuNodes, 2);
    let initial: readonly PlannedObject[] = [];
    beforeAll(async () => {
      const recording = await planned(name);
      initial = objectsOf(recording);
      await startNodes(cluster, recording, gpuNodes);
    });
    afterAll(() => empty(cluster));

    test("accepts every object strictly and without a warning, and creates the pods", async () => {
      const recording = await planned(name);
      const manifests = objectsOf(recording).map(({ manifest }) => manifest);
      expect(await applyAll(cluster, [...manifests, ...clusterPoliciesOf(recording)])).toEqual([]);
      await expectPods(cluster.admin, manifests);
      expect(await failedCreates(cluster.admin)).toEqual([]);
    });

    test("keeps the Pod Security level of the lab's namespace", async () => {
      const namespace = await cluster.admin.find(`/api/v1/namespaces/${name}`);
      expect(levelOf(namespace)).toBe(lab.add && (lab.podSecurity ?? "restricted"));
    });

    test.each([...togglesOf(lab, now), ...remediesOf(lab, now)])(
      "accepts $name as the change that the lab states, and the way back",
      async ({ config, changes }) => {
        const [fault] = togglesOf(lab, now);
        const isRemedy = config.some((one) => one.startsWith("remedy="));
        const before = isRemedy ? objectsOf(await planned(name, fault?.config)) : initial;
        const recording = await planned(name, config);
        const after = objectsOf(recording);
        expect(await applyAll(cluster, clusterPoliciesOf(recording))).toEqual([]);
        if (isRemedy) expect(await change(cluster.admin, initial, before, fault?.changes ?? [])).toEqual([]);
        expect(await change(cluster.admin, before, after, changes)).toEqual([]);
        await expectPods(
          cluster.admin,
          after.map(({ manifest }) => manifest),
        );
        const back = isRemedy ? [...changes, ...(fault?.changes ?? [])] : changes;
        expect(await change(cluster.admin, after, initial, back)).toEqual([]);
        expect(await failedCreates(cluster.admin)).toEqual([]);
      },
    );
  });
});
