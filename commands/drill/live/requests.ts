import { setTimeout as sleep } from "node:timers/promises";
import { userAgent, type ApiRequest, type Call } from "../../../components/core/kubernetes-api/api";
import { valueAt } from "../../../components/core/reader/paths";
import { deepMerge, isRecord } from "../../../components/core/reader/records";
import type { NodePatch } from "../node-state";
import type { LocalCluster } from "../../../components/local/local-cluster";
import { shellText } from "../../../components/core/text";

export const nodesPath = "/api/v1/nodes";

/** The API server rejected a request of a drill. */
export class Rejected extends Error {
  constructor(
    readonly status: number,
    { method, path }: ApiRequest,
    why: string,
  ) {
    super(`${method} ${path}: ${why} (${status})`);
  }
}

/** Sends a request. @throws Rejected if the API server rejects it */
export async function send(call: Call, request: ApiRequest): Promise<unknown> {
  const answer = await call(request);
  if (!answer.ok) throw new Rejected(answer.status, request, answer.why);
  return answer.body;
}

/** An object; undefined if it does not exist. */
export async function find(call: Call, path: string): Promise<unknown> {
  const request = { method: "GET", path } as const;
  const answer = await call(request);
  if (answer.ok) return answer.body;
  if (answer.status === 404) return undefined;
  throw new Rejected(answer.status, request, answer.why);
}

export async function list(call: Call, path: string): Promise<readonly unknown[]> {
  const items = valueAt(await send(call, { method: "GET", path }), "items");
  return Array.isArray(items) ? (items as unknown[]) : [];
}

export function nameOf(object: unknown): string {
  const name = valueAt(object, "metadata.name");
  return typeof name === "string" ? name : "";
}

/**
 * Patches a node as it was read. The patch contains whole lists, so a node that has changed since is not patched. Its
 * fields keep their owners, unless that takes too long.
 *
 * @throws Rejected with the status 409 if the node has changed
 */
export async function patchNode(call: Call, node: unknown, { subresource, body }: NodePatch): Promise<void> {
  const path = `${nodesPath}/${nameOf(node)}`;
  await patchAsRead(call, node, subresource === undefined ? path : `${path}/${subresource}`, body);
  const keepOwners = async () => {
    const patched = await find(call, path);
    const managedFields = ownersAsBefore(node, patched);
    if (managedFields === undefined) return true;
    return patchAsRead(call, patched, path, { metadata: { managedFields } }).catch(unlessChanged);
  };
  await eventually(keepOwners, { seconds: ownerSeconds });
}

async function patchAsRead(call: Call, read: unknown, path: string, body: NodePatch["body"]): Promise<true> {
  const metadata = { ...body.metadata, resourceVersion: valueAt(read, "metadata.resourceVersion") };
  await send(call, { method: "PATCH", path, body: { ...body, metadata } });
  return true;
}

/** An entry of `metadata.managedFields`. */
type Owner = Readonly<Record<string, unknown>>;

/**
 * The owners of the fields of a node before a write of the drill, and those that it got meanwhile; undefined if the drill
 * owns nothing. The API server makes the last writer of a field its owner, and server-side apply by the former owner, such
 * as `pulumi up`, then fails with a conflict. So the drill writes back the owners after each write.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function ownersAsBefore(before: unknown, node: unknown): Owner[] | undefined {
  const others = ownersOf(node).filter(isOther);
  if (others.length === ownersOf(node).length) return undefined;
  const former = ownersOf(before).filter(isOther);
  const kept = others.map((owner) => deepMerge(former.find(isSame(owner)) ?? {}, owner));
  return [...kept, ...former.filter((owner) => !others.some(isSame(owner)))];
}

function ownersOf(node: unknown): Owner[] {
  const owners = valueAt(node, "metadata.managedFields");
  return Array.isArray(owners) ? (owners as unknown[]).filter(isRecord) : [];
}

const isOther = ({ manager }: Owner) => manager !== userAgent;

const isSame = (one: Owner) => (other: Owner) =>
  ["manager", "operation", "subresource"].every((key) => one[key] === other[key]);

/** Lets a patch of an object pass that has changed since it was read: it is read and patched again. */
export function unlessChanged(error: unknown): undefined {
  if (!(error instanceof Rejected) || error.status !== 409) throw error;
}

const pollMilliseconds = 250;
const ownerSeconds = 10;

/** What `probe` returns once it is defined; undefined if that takes too long. The signal ends the wait with an error. */
export async function eventually<T>(
  probe: () => Promise<T | undefined>,
  { seconds, signal }: { readonly seconds: number; readonly signal?: AbortSignal },
): Promise<T | undefined> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    signal?.throwIfAborted();
    const found = await probe();
    if (found !== undefined || Date.now() >= end) return found;
    await sleep(pollMilliseconds, undefined, signal && { signal });
  }
}

export type Cluster = Pick<LocalCluster, "context" | "confirm" | "kubeconfig" | "call">;

/** The start of a kubectl command for the cluster. */
export function kubectlFor({ context, kubeconfig }: Omit<Cluster, "call">): string {
  return command("kubectl", { context, kubeconfig });
}

/** The start of a command for a drill in the cluster. */
export function drillFor({ context, kubeconfig, confirm }: Omit<Cluster, "call">): string {
  return command("npx eks-gpu-lab drill", { context, kubeconfig, confirm });
}

function command(program: string, options: Readonly<Record<string, string | undefined>>): string {
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [shellText([`--${name}`, value])],
  );
  return [program, ...words].join(" ");
}
