import { setTimeout as sleep } from "node:timers/promises";
import type { ApiRequest, Call } from "../../components/core/kubernetes-api/api";
import { valueAt } from "../../components/core/reader/paths";
import type { NodePatch } from "../node-state";

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

/**
 * Sends a request.
 *
 * @throws Rejected if the API server rejects it
 */
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

/** The objects of a list. */
export async function list(call: Call, path: string): Promise<readonly unknown[]> {
  const items = valueAt(await send(call, { method: "GET", path }), "items");
  return Array.isArray(items) ? (items as unknown[]) : [];
}

/** `metadata.name` of an object. */
export function nameOf(object: unknown): string {
  const name = valueAt(object, "metadata.name");
  return typeof name === "string" ? name : "";
}

/**
 * Patches a node as it was read. The patch contains whole lists, so a node that has changed since is not patched.
 *
 * @throws Rejected with the status 409 if the node has changed
 */
export async function patchNode(call: Call, node: unknown, { subresource, body }: NodePatch): Promise<void> {
  const path = `${nodesPath}/${nameOf(node)}${subresource === undefined ? "" : `/${subresource}`}`;
  const metadata = { ...body.metadata, resourceVersion: valueAt(node, "metadata.resourceVersion") };
  await send(call, { method: "PATCH", path, body: { ...body, metadata } });
}

export interface Waiting {
  readonly seconds: number;
  /** Ends the wait with an error. */
  readonly signal?: AbortSignal;
}

const pollMilliseconds = 250;

/** What `probe` returns as soon as it is defined; undefined if that takes too long. */
export async function eventually<T>(
  probe: () => Promise<T | undefined>,
  { seconds, signal }: Waiting,
): Promise<T | undefined> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    signal?.throwIfAborted();
    const found = await probe();
    if (found !== undefined || Date.now() >= end) return found;
    await sleep(pollMilliseconds, undefined, signal && { signal });
  }
}
