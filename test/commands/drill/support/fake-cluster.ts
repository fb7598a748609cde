import { createServer } from "node:http";
import type { ApiRequest, ApiResponse } from "../../../../components/core/kubernetes-api/api";
import { listen } from "../../../support/local-server";
import { kubeconfigFor } from "../../../triage/support/api-server";

export type Raw = Record<string, unknown>;

interface Metadata extends Raw {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  resourceVersion?: string;
}
export interface Stored extends Raw {
  metadata: Metadata;
}

/** A cluster that keeps objects by path, for the requests of a drill and of triage. */
export class FakeCluster {
  readonly objects = new Map<string, Stored>();
  readonly requests: string[] = [];
  /** A response of its own to a request; undefined leaves the request to the cluster. */
  intercept: (request: ApiRequest) => ApiResponse | undefined = () => undefined;
  /** What the scheduler does with a pod of this name. */
  rejection = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  private version = 0;

  add(collection: string, object: Raw): void {
    const stored = structuredClone(object) as Stored;
    stored.metadata.resourceVersion = String((this.version += 1));
    this.objects.set(`${collection}/${stored.metadata.name}`, stored);
  }

  get(path: string): Stored | undefined {
    return this.objects.get(path);
  }

  readonly call = (request: ApiRequest): Promise<ApiResponse> => {
    this.requests.push(`${request.method} ${request.path}`);
    return Promise.resolve(this.intercept(request) ?? this.answer(request));
  };

  private answer({ method, path, body }: ApiRequest): ApiResponse {
    const [plain = ""] = path.split("?");
    switch (method) {
      case "GET":
        return this.read(plain, new URLSearchParams(path.split("?")[1]));
      case "POST":
        return this.create(plain, body as Stored);
      case "PATCH":
        return this.patch(plain.replace(/\/status$/, ""), body as Raw);
      case "DELETE":
        return this.remove(plain);
      case "PUT":
        return missing;
    }
  }

  private read(path: string, query: URLSearchParams): ApiResponse {
    const one = this.objects.get(path);
    if (one) return { ok: true, body: structuredClone(one) };
    const parts = path.split("/");
    if (!/s$|^leases/.test(parts.at(-1) ?? "") || parts.at(-2) === "namespaces" || parts.at(-2) === "nodes")
      return missing;
    const label = /^(\w+)=(.*)$/.exec(query.get("labelSelector") ?? "");
    const items = [...this.objects].flatMap(([key, object]) => {
      const own = key.slice(0, key.lastIndexOf("/"));
      const isIn = own === path || own.replace(/\/namespaces\/[^/]+/, "") === path;
      return isIn && (!label || object.metadata.labels?.[label[1] ?? ""] === label[2]) ? [structuredClone(object)] : [];
    });
    return { ok: true, body: { items } };
  }

  private create(collection: string, object: Stored): ApiResponse {
    const path = `${collection}/${object.metadata.name}`;
    if (this.objects.has(path)) return { ok: false, status: 409, why: `"${object.metadata.name}" already exists` };
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: this.rejection };
    const status = object["kind"] === "Pod" ? { status: { phase: "Pending", conditions: [condition] } } : {};
    this.add(collection, { ...object, ...status });
    if (object["kind"] === "Namespace") {
      const name = object.metadata.name;
      this.add(`${path}/serviceaccounts`, { metadata: { name: "default", namespace: name } });
    }
    return { ok: true, body: object };
  }

  private patch(path: string, body: Raw): ApiResponse {
    const object = this.objects.get(path);
    if (!object) return missing;
    const wanted = (body["metadata"] as Metadata | undefined)?.resourceVersion;
    if (wanted !== undefined && wanted !== object.metadata.resourceVersion) {
      return { ok: false, status: 409, why: "the object has been modified" };
    }
    const merged = mergePatch(object, body) as Stored;
    this.add(path.slice(0, path.lastIndexOf("/")), merged);
    return { ok: true, body: merged };
  }

  private remove(path: string): ApiResponse {
    if (!this.objects.has(path)) return missing;
    for (const key of [...this.objects.keys()])
      if (key === path || key.startsWith(`${path}/`)) this.objects.delete(key);
    const inNamespace = path.replace("/api/v1/namespaces/", "/namespaces/");
    for (const key of [...this.objects.keys()]) if (key.includes(`${inNamespace}/`)) this.objects.delete(key);
    return { ok: true, body: {} };
  }

  /** Serves the cluster over HTTP, for as long as the test runs. Returns the path of a kubeconfig. */
  async serve(): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const body = text === "" ? {} : { body: JSON.parse(text) as unknown };
        const method = request.method as ApiRequest["method"];
        void this.call({ method, path: decodeURIComponent(request.url ?? ""), ...body }).then((answer) => {
          response.writeHead(answer.ok ? 200 : answer.status, { "content-type": "application/json" });
          response.end(JSON.stringify(answer.ok ? answer.body : { message: answer.why }));
        });
      });
    });
    this.close = () => {
      server.closeAllConnections();
      server.close();
    };
    return kubeconfigFor(await listen(server));
  }

  /** Ends the server: the cluster no longer responds. */
  close: () => void = () => undefined;
}

const missing: ApiResponse = { ok: false, status: 404, why: "not found" };

/** @see https://www.rfc-editor.org/rfc/rfc7386 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const merged: Raw = typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

/** A GPU node as KWOK shows it, with the annotation that a stage copies to the status. */
export function fakeNode(name: string, changes: Raw = {}): Stored {
  const resources = { cpu: "4", memory: "16Gi", pods: "58", "nvidia.com/gpu": "1" };
  const node = {
    ...{ apiVersion: "v1", kind: "Node" },
    metadata: {
      name,
      labels: {
        ...{ "kubernetes.io/hostname": name, "nvidia.com/gpu.present": "true" },
        "nvidia.com/gpu.product": "NVIDIA-A10G",
      },
      annotations: { "eks-gpu-lab/capacity": JSON.stringify(resources) },
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }] },
    status: {
      ...{ capacity: resources, allocatable: resources, nodeInfo: { containerRuntimeVersion: "kwok-v0.8.0" } },
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady" }],
    },
  };
  return mergePatch(node, changes) as Stored;
}
