import { setTimeout as sleep } from "node:timers/promises";
import type { Call } from "../../../components/core/kubernetes-api/api";
import { valueAt } from "../../../components/core/reader/paths";
import { refuse } from "../../../components/core/problems";
import { leastWaitSeconds } from "../../../triage/snapshot/time";
import type { Subject } from "../../../triage/snapshot/dump";
import type { Choice } from "../choose";
import { collections, drillKey, namespace, namespaceManifest, type Manifest } from "../manifests";
import {
  changedState,
  patchesTo,
  recordedState,
  recordOf,
  recordText,
  stateOf,
  type NodeChange,
  type NodePatch,
} from "../node-state";
import type { Injection } from "../scenario";
import {
  eventually,
  find,
  kubectlFor,
  list,
  nameOf,
  nodesPath,
  patchNode,
  Rejected,
  send,
  unlessChanged,
  type Cluster,
} from "./requests";
import { refuseTraces, type Target } from "./restore";
import { isRecord } from "../../../components/core/reader/records";

interface Injecting {
  readonly call: Call;
  readonly seed: number;
  /** Ends the injection with an error. */
  readonly signal: AbortSignal;
  /** Called with the target node whenever it is read. */
  readonly onTarget: (target: Target) => void;
}

/** The scheduler and the controllers see a change of a node within this time. */
const settleMilliseconds = 1000;
const objectSeconds = 60;
/** A real node may have to pull an image first. */
const symptomSeconds = 180;

/** Creates the namespace of the drill, which locks the cluster for other drills. @throws InputError if it exists */
export async function createNamespace(cluster: Cluster, seed: number): Promise<void> {
  try {
    await send(cluster.call, { method: "POST", path: collections.Namespace, body: namespaceManifest(seed) });
  } catch (error) {
    if (!(error instanceof Rejected) || error.status !== 409) throw error;
    // Another drill may have started in the meantime.
    await refuseTraces(cluster);
    const why = `Its namespace ${namespace} exists. A drill creates and deletes this namespace.`;
    const fix = `if you do not need it, run ${kubectlFor(cluster)} delete namespace ${namespace}`;
    refuse("the cluster", [{ code: "conflict", path: "--context", got: cluster.context, why, fix }]);
  }
}

/** Makes a scenario happen, and waits for its symptom. @throws Error if the symptom does not appear */
export async function inject({ scenario, site }: Choice, injecting: Injecting): Promise<Subject> {
  const { call, signal } = injecting;
  const injection = scenario.injection(site);
  await changeTarget(site.target.name, injection.node, injecting);
  await createObjects(injection, injecting);
  const found = await eventually(() => symptomOf(call, injection, site.target.name), {
    ...{ seconds: symptomSeconds, signal },
  });
  if (!found) {
    throw new Error(
      `The symptom did not appear within ${symptomSeconds} seconds. Check the scheduler and controllers.`,
    );
  }
  return found;
}

/** Marks the target node with its state, and changes it. It is marked in every scenario, so the mark tells nothing. */
async function changeTarget(name: string, change: NodeChange | undefined, injecting: Injecting): Promise<void> {
  const { seed, signal } = injecting;
  const marked = await patched(name, injecting, (node) =>
    recordText(node) === undefined
      ? { body: { metadata: { annotations: { [drillKey]: recordOf(seed, stateOf(node)) } } } }
      : undefined,
  );
  const before = recordedState(marked);
  if (!change || !before) return;
  const wanted = changedState(before, change, new Date().toISOString());
  await patched(name, injecting, (node) => patchesTo(wanted, node)[0]);
  await sleep(settleMilliseconds, undefined, { signal });
}

/** Patches a node until there is nothing left to patch; again, if the node changes in between. */
async function patched(
  name: string,
  { call, signal, onTarget }: Injecting,
  patchFor: (node: unknown) => NodePatch | undefined,
): Promise<unknown> {
  const step = async () => {
    const node = await find(call, `${nodesPath}/${name}`);
    const before = recordedState(node);
    if (before) onTarget({ node, before });
    const patch = patchFor(node);
    if (!patch) return node;
    await patchNode(call, node, patch).catch(unlessChanged);
    return undefined;
  };
  const node = await eventually(step, { seconds: objectSeconds, signal });
  if (node === undefined) throw new Error(`The node ${name} does not keep the changes of the drill.`);
  return node;
}

async function createObjects({ objects = [], update }: Injection, { call, seed, signal }: Injecting): Promise<void> {
  await until("the service account of the namespace", signal, async () => {
    const found = await find(call, `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    return found === undefined ? undefined : true;
  });
  for (const object of objects) {
    signal.throwIfAborted();
    await send(call, { method: "POST", path: collections[object.kind], body: labelled(object, seed) });
    if (object.kind === "Pod" && object !== objects.at(-1)) await untilPlaced(call, object, signal);
  }
  if (!update) return;
  const path = `${collections.Deployment}/${update.deployment}`;
  await until(`Deployment ${update.deployment}`, signal, async () =>
    Number(valueAt(await find(call, path), "status.availableReplicas") ?? 0) > 0 ? true : undefined,
  );
  await send(call, { method: "PATCH", path, body: update.body });
}

async function untilPlaced(call: Call, { metadata: { name } }: Manifest, signal: AbortSignal): Promise<void> {
  await until(`a node for pod ${name}`, signal, async () => {
    return valueAt(await find(call, `${collections.Pod}/${name}`), "spec.nodeName") === undefined ? undefined : true;
  });
}

function labelled({ metadata, ...rest }: Manifest, seed: number): object {
  return { ...rest, metadata: { ...metadata, namespace, labels: { ...metadata.labels, [drillKey]: String(seed) } } };
}

async function until(what: string, signal: AbortSignal, probe: () => Promise<true | undefined>): Promise<void> {
  if (await eventually(probe, { seconds: objectSeconds, signal })) return;
  throw new Error(
    `Waited ${objectSeconds} seconds for ${what}. Check that the controllers of the cluster are running.`,
  );
}

/** The object that shows the symptom of a scenario; undefined while it does not show. */
async function symptomOf(call: Call, { appears }: Injection, node: string): Promise<Subject | undefined> {
  if (appears === "node") return { kind: "node", name: node };
  const pods = await list(call, `${collections.Pod}?labelSelector=app%3Dserver`);
  const found = pods.find(shows[appears ?? "unschedulable"]);
  return found === undefined ? undefined : { kind: "pod", name: nameOf(found), namespace };
}

const shows = {
  unschedulable: (pod: unknown) => conditionOf(pod, "PodScheduled")?.["reason"] === "Unschedulable",
  // Triage draws no conclusion from a shorter wait.
  stuck: (pod: unknown) =>
    conditionOf(pod, "PodScheduled")?.["reason"] === "Unschedulable" &&
    Date.now() - Date.parse(String(valueAt(pod, "metadata.creationTimestamp"))) >= leastWaitSeconds * 1000,
  gated: (pod: unknown) => conditionOf(pod, "PodScheduled")?.["reason"] === "SchedulingGated",
  running: (pod: unknown) => valueAt(pod, "status.phase") === "Running",
  // After its first restart, kubectl logs has an earlier run to show.
  restarting: (pod: unknown) =>
    valueAt(pod, "status.containerStatuses.0.state.waiting.reason") === "CrashLoopBackOff" &&
    Number(valueAt(pod, "status.containerStatuses.0.restartCount")) > 0,
};

function conditionOf(object: unknown, type: string): Readonly<Record<string, unknown>> | undefined {
  const conditions = valueAt(object, "status.conditions");
  return Array.isArray(conditions) ? conditions.filter(isRecord).find((one) => one["type"] === type) : undefined;
}
