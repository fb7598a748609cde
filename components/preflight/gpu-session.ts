import { getterFor, Unreachable, type Get } from "../core/kubernetes-api/api";
import { providerReason } from "../core/provider-reason";
import { valueAt, valuesAt } from "../core/reader/paths";
import { isRecord } from "../core/reader/records";
import type { GpuPod, GpuSession } from "./running-environment";

/** How long the preview waits for each response of the cluster. */
const timeoutMs = 5000;

/** How to reach a cluster: the endpoint and the certificate that EKS describes, and a token of the provider. */
interface ClusterAccess {
  readonly endpoint: string;
  /** Base64. */
  readonly certificateAuthority: string | undefined;
  /** Never part of a message. */
  readonly token: string;
}

/**
 * The nodes of a node group and the pods that hold their GPUs. If the cluster cannot be read, the session has the ids of
 * the instances, and the reason.
 */
export async function readGpuSession(
  group: string,
  instances: readonly string[],
  access: () => Promise<ClusterAccess>,
): Promise<GpuSession> {
  try {
    const get = getterOf(await access());
    const ofGroup = encodeURIComponent(`eks.amazonaws.com/nodegroup=${group}`);
    const nodes = (await itemsOf(get, `/api/v1/nodes?labelSelector=${ofGroup}`)).map(nameOf);
    const pods = (await itemsOf(get, `/api/v1/pods?fieldSelector=${unfinished}`)).flatMap((pod) => gpuPod(pod, nodes));
    return { nodes: nodes.length > 0 ? nodes : instances, pods };
  } catch (error) {
    const why = error instanceof Unreachable ? error.why : providerReason(error);
    return { nodes: instances, unreadable: why.replace(/\.$/, "") };
  }
}

const unfinished = encodeURIComponent("status.phase!=Succeeded,status.phase!=Failed");

function getterOf({ endpoint: server, certificateAuthority, token }: ClusterAccess): Get {
  const ca = certificateAuthority === undefined ? {} : { ca: Buffer.from(certificateAuthority, "base64") };
  const headers = { Authorization: `Bearer ${token}` };
  return getterFor({ server, options: () => Promise.resolve({ ...ca, headers }) }, timeoutMs);
}

async function itemsOf(get: Get, path: string): Promise<unknown[]> {
  const response = await get(path);
  if (!response.ok) throw new Error(`The cluster rejects ${path.split("?")[0]}: ${response.why}`);
  return isRecord(response.body) ? valuesAt(response.body, "items[*]") : [];
}

function nameOf(object: unknown): string {
  return String(valueAt(object, "metadata.name"));
}

function gpuPod(pod: unknown, nodes: readonly string[]): GpuPod[] {
  const node = String(valueAt(pod, "spec.nodeName"));
  const gpus = isRecord(pod) ? gpusOf(pod) : 0;
  if (gpus === 0 || !nodes.includes(node)) return [];
  return [{ namespace: String(valueAt(pod, "metadata.namespace")), name: nameOf(pod), node, gpus }];
}

/** A pod holds the larger of what its containers request together and what one of its init containers requests. */
function gpusOf(pod: Readonly<Record<string, unknown>>): number {
  const containers = valuesAt(pod, "spec.containers[*].resources.limits").map(gpusIn);
  const first = valuesAt(pod, "spec.initContainers[*].resources.limits").map(gpusIn);
  return Math.max(0, ...first, total(containers));
}

/** GPUs, shared GPUs and partitions of MIG: `nvidia.com/gpu`, `nvidia.com/gpu.shared`, `nvidia.com/mig-1g.5gb`. */
function gpusIn(limits: unknown): number {
  if (!isRecord(limits)) return 0;
  const amounts = Object.entries(limits).filter(([name]) => /^nvidia\.com\/(gpu|mig-)/.test(name));
  return total(amounts.map(([, amount]) => Number(amount) || 0));
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
