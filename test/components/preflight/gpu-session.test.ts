import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readGpuSession } from "../../../components/preflight/gpu-session";

const group = "myeks-gpu-1";
const token = "k8s-aws-v1.c2VjcmV0";
const gpus = (amount: string, resource = "nvidia.com/gpu") => ({ resources: { limits: { [resource]: amount } } });

function pod(name: string, spec: object) {
  return { metadata: { namespace: "team", name }, spec: { nodeName: "ip-1", containers: [{}], ...spec } };
}

const pods = [
  pod("train", { containers: [gpus("1"), gpus("2")] }),
  pod("init", { initContainers: [gpus("1")] }),
  pod("partition", { containers: [gpus("1", "nvidia.com/mig-1g.5gb")] }),
  pod("cpu", {}),
  pod("network", { containers: [gpus("1", "vpc.amazonaws.com/efa")] }),
  pod("elsewhere", { nodeName: "ip-9", containers: [gpus("1")] }),
  pod("waiting", { nodeName: undefined, containers: [gpus("1")] }),
];

interface Answers {
  readonly status?: number;
  readonly body?: (path: string) => unknown;
}

/** A server for the API, and what it was asked. */
async function cluster({ status = 200, body }: Answers = {}) {
  const asked: string[] = [];
  const lists: Readonly<Record<string, unknown>> = { nodes: [{ metadata: { name: "ip-1" } }], pods };
  const server = createServer(({ url = "", headers }, response) => {
    asked.push(`${decodeURIComponent(url)} ${headers.authorization}`);
    const items = lists[url.startsWith("/api/v1/nodes") ? "nodes" : "pods"];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body ? body(url) : { items }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, access: () => Promise.resolve({ endpoint, certificateAuthority: undefined, token }) };
}

test("the nodes of the group, and the pods that hold their GPUs", async () => {
  const { asked, access } = await cluster();
  expect(await readGpuSession(group, ["i-1"], access)).toEqual({
    nodes: ["ip-1"],
    pods: [
      { namespace: "team", name: "train", node: "ip-1", gpus: 3 },
      { namespace: "team", name: "init", node: "ip-1", gpus: 1 },
      { namespace: "team", name: "partition", node: "ip-1", gpus: 1 },
    ],
  });
  expect(asked).toEqual([
    `/api/v1/nodes?labelSelector=eks.amazonaws.com/nodegroup=${group} Bearer ${token}`,
    `/api/v1/pods?fieldSelector=status.phase!=Succeeded,status.phase!=Failed Bearer ${token}`,
  ]);
});

test("instances that are no nodes yet hold no pods", async () => {
  const { access } = await cluster({ body: () => ({ items: [] }) });
  expect(await readGpuSession(group, ["i-1"], access)).toEqual({ nodes: ["i-1"], pods: [] });
});

test.for([
  ["forbidden", { status: 403, body: () => ({ message: "nodes is forbidden" }) }, "nodes is forbidden"],
  ["not accepted", { status: 401 }, "does not accept the credentials"],
] as const)("a cluster where the token is %s is unreadable, and the reason has no token", async ([, answers, why]) => {
  const { access } = await cluster(answers);
  const session = await readGpuSession(group, ["i-1"], access);
  expect(session).toEqual({ nodes: ["i-1"], unreadable: expect.stringContaining(why) as string });
  expect(JSON.stringify(session)).not.toContain(token);
});

test("a cluster that cannot be reached, and a token that cannot be made, are unreadable", async () => {
  const endpoint = "http://127.0.0.1:1";
  const unreachable = await readGpuSession(group, ["i-1"], () =>
    Promise.resolve({ endpoint, certificateAuthority: undefined, token }),
  );
  expect(unreachable.unreadable).toContain("cannot be reached");
  expect(JSON.stringify(unreachable)).not.toContain(token);
  const failed = await readGpuSession(group, ["i-1"], () => Promise.reject(new Error("AccessDenied\nstack")));
  expect(failed).toEqual({ nodes: ["i-1"], unreadable: "AccessDenied" });
});
