import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { gpuPodsOf } from "../../commands/gpu/nodes";
import { folder } from "../support/files";
import { apiServer, forbid, kubeconfigFor, send, type ApiServerOptions } from "../triage/support/api-server";
import { gpuNode, pod } from "../triage/support/objects";

/** What a removal asks before it ends a cluster: whether its pods hold GPUs. */
async function ask(options: ApiServerOptions) {
  const api = await apiServer(options);
  useKubeconfig(api.kubeconfig);
  const server = /"server":"([^"]+)"/.exec(readFileSync(api.kubeconfig, "utf8"))?.[1] ?? "";
  return { why: await gpuPodsOf({ name: "lab", endpoint: server }), requests: api.requests };
}

function useKubeconfig(path: string): void {
  vi.stubEnv("KUBECONFIG", path);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const node = gpuNode("n1");
const holder = pod("train", { node: "n1", gpus: 1 });

describe("pods of a cluster", () => {
  test.for([
    ["run and hold GPUs", [holder], "pods of the cluster lab hold GPUs: gpu-lab/train"],
    [
      "have a node, and pull their image",
      [pod("pulls", { node: "n1", gpus: 2, phase: "Pending" })],
      "pods of the cluster lab hold GPUs: gpu-lab/pulls",
    ],
    [
      "are in several namespaces",
      [holder, pod("serve", { node: "n1", gpus: 1, namespace: "team" })],
      "pods of the cluster lab hold GPUs: gpu-lab/train, team/serve",
    ],
    [
      "lost",
      [pod("lost", { node: "n1", gpus: 1, phase: "Unknown" })],
      "pods of the cluster lab hold GPUs: gpu-lab/lost",
    ],
    ["have ended", [pod("done", { node: "n1", gpus: 1, phase: "Succeeded" })], undefined],
    ["have failed", [pod("failed", { node: "n1", gpus: 1, phase: "Failed" })], undefined],
    ["wait for a node", [pod("waits", { gpus: 1 })], undefined],
    ["use no GPU", [pod("web", { node: "n1" })], undefined],
  ] as const)("that %s", async ([, pods, expected]) => {
    expect((await ask({ items: [node, ...pods] })).why).toBe(expected);
  });

  test("on a later page of the list count, too", async () => {
    const others = Array.from({ length: 5 }, (_, at) => pod(`web-${at}`, { node: "n1" }));
    expect((await ask({ items: [...others, holder], pageSize: 2 })).why).toContain("gpu-lab/train");
  });
});

describe("pods that cannot be read may hold GPUs", () => {
  const start = "the cluster lab has running GPU nodes, and its pods cannot be read: ";

  test("the identity may not list them", async () => {
    const { why } = await ask({
      items: [node, holder],
      intercept: (path, response) => path.includes("/pods") && forbid(response),
    });
    expect(why?.startsWith(start)).toBe(true);
  });

  test.for([500, 401])("the API server answers %i", async (status) => {
    const { why } = await ask({
      items: [node, holder],
      intercept: (_, response) => send(response, status, { kind: "Status" }),
    });
    expect(why?.startsWith(start)).toBe(true);
  });

  test.for([
    [200, {}],
    [200, { kind: "Status" }],
    [404, { message: "not found" }],
    [302, ""],
  ] as const)("something else answers %i %j", async ([status, body]) => {
    const { why } = await ask({
      ...{ items: [node, holder], intercept: (_, response) => send(response, status, body) },
    });
    expect(why?.startsWith(start)).toBe(true);
  });

  test("the answer is no JSON", async () => {
    const { why } = await ask({ items: [node, holder], intercept: (_, response) => send(response, 200, "<html>") });
    expect(why?.startsWith(start)).toBe(true);
  });

  test("the second page is denied", async () => {
    const isSecond = (path: string) => path.includes("/pods") && path.includes("continue=");
    const { why } = await ask({
      ...{ items: [node, pod("web", { node: "n1" }), pod("web-2", { node: "n1" }), holder], pageSize: 1 },
      intercept: (path, response) => isSecond(path) && forbid(response),
    });
    expect(why?.startsWith(start)).toBe(true);
  });

  test("there is no kubeconfig", async () => {
    useKubeconfig("/nonexistent");
    expect(await gpuPodsOf({ name: "lab", endpoint: "https://lab.example" })).toContain(start);
  });

  test("the kubeconfig has another cluster only: its pods are not asked", async () => {
    const api = await apiServer({ items: [] });
    useKubeconfig(api.kubeconfig);
    const why = await gpuPodsOf({ name: "lab", endpoint: "https://lab.example" });
    expect(why).toBe(`${start}The kubeconfig has no context for this cluster`);
    expect(api.requests).toEqual([]);
  });

  test("the kubeconfig is empty, or no kubeconfig", async () => {
    for (const text of ["", "a: [", "[]"]) {
      useKubeconfig(`${folder({ config: text })}/config`);
      expect(await gpuPodsOf({ name: "lab", endpoint: "https://lab.example" })).toContain(start);
    }
  });

  test("nothing listens at its address", async () => {
    useKubeconfig(kubeconfigFor("http://127.0.0.1:9"));
    expect(await gpuPodsOf({ name: "lab", endpoint: "http://127.0.0.1:9" })).toContain(start);
  });

  test("the cluster has no address yet", async () => {
    useKubeconfig(kubeconfigFor("http://127.0.0.1:9"));
    expect(await gpuPodsOf({ name: "lab" })).toContain(start);
  });
});
