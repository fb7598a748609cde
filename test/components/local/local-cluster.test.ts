import { describe, expect, test } from "vitest";
import { connectLocal, isLoopback } from "../../../components/local/local-cluster";
import type { InputError } from "../../../components";
import { apiServer, kubeconfigFor, send } from "../../triage/support/api-server";

const choice = {
  ...{ context: "lab", subject: "the command line", contextPath: "--context", confirmFix: "add --confirm lab" },
};

const node = (name: string, providerID?: string) => ({
  ...{ apiVersion: "v1", kind: "Node", metadata: { name }, spec: providerID === undefined ? {} : { providerID } },
});

const problemsOf = async (given: Partial<Parameters<typeof connectLocal>[0]>) => {
  const error = await connectLocal({ ...choice, ...given }).then(
    () => undefined,
    (caught: unknown) => caught as InputError,
  );
  return error?.problems ?? [];
};

describe("a local cluster is accepted", () => {
  test.each([
    ["KWOK", undefined],
    ["an empty ID", ""],
    ["kind", "kind://docker/gpu-lab/gpu-lab-worker"],
    ["k3d and Rancher Desktop", "k3s://k3d-lab-server-0"],
    ["an autoscaler with KWOK", "kwok://gpu-1"],
  ])("with nodes of %s", async (_, providerID) => {
    const { kubeconfig } = await apiServer({ items: [node("one", providerID)] });
    const { context, server } = await connectLocal({ ...choice, kubeconfig });
    expect(context).toBe("lab");
    expect(isLoopback(server)).toBe(true);
  });

  test("and answers requests", async () => {
    const { kubeconfig, requests } = await apiServer({ items: [node("one")] });
    const { call } = await connectLocal({ ...choice, kubeconfig });
    await call({ method: "DELETE", path: "/api/v1/nodes/one" });
    expect(requests).toEqual(["GET /api/v1/nodes", "DELETE /api/v1/nodes/one"]);
  });
});

describe("a cluster that is not local is refused before anything else is asked of it", () => {
  test.each(["aws:///ap-northeast-2a/i-0abc", "gce://p/z/n", "azure:///subscriptions/s", "something-new://x"])(
    "a node with the provider ID %s, also with a confirmed context",
    async (providerID) => {
      const { kubeconfig, requests } = await apiServer({ items: [node("fine"), node("cloudy", providerID)] });
      const [problem, ...others] = await problemsOf({ kubeconfig, confirm: "lab" });
      expect(problem).toMatchObject({ path: "--context", got: "lab" });
      expect(problem?.why).toBe(`Its node cloudy belongs to a cloud: its provider ID is ${providerID}.`);
      expect(others).toEqual([]);
      expect(requests).toEqual(["GET /api/v1/nodes"]);
    },
  );

  test("an API server elsewhere, without a request to it", async () => {
    const kubeconfig = kubeconfigFor("https://ABCD.gr7.ap-northeast-2.eks.amazonaws.com");
    const [problem] = await problemsOf({ kubeconfig });
    expect(problem?.why).toMatch(/^The address of its API server, https:\/\/ABCD\.gr7.*, is not a loopback address/);
    expect(problem?.fix).toBe(
      "choose the context of a local cluster; or, if this cluster is only for labs, add --confirm lab",
    );
  });

  test("an API server elsewhere, confirmed with the name of another context", async () => {
    const kubeconfig = kubeconfigFor("https://10.0.0.1:6443");
    const [problem, ...others] = await problemsOf({ kubeconfig, confirm: "other" });
    expect(problem?.why).toContain("The confirmation names another context: other.");
    expect(others).toEqual([]);
  });
});

test("the confirmed name lets an API server elsewhere through", async () => {
  // Nothing listens there: the refusal is that of the connection.
  const kubeconfig = kubeconfigFor("http://localhost.invalid:1");
  const [problem] = await problemsOf({ kubeconfig, confirm: "lab" });
  expect(problem).toMatchObject({ code: "missing", path: "--context", got: "lab" });
  expect(problem?.why).toMatch(/cannot be reached/);
});

test("a cluster whose nodes cannot be read is refused", async () => {
  const { kubeconfig } = await apiServer({
    items: [],
    intercept: (path, response) =>
      path.startsWith("/api/v1/nodes") && send(response, 403, { message: 'nodes is forbidden: User "x"' }),
  });
  const [problem] = await problemsOf({ kubeconfig });
  expect(problem?.why).toBe('Its nodes cannot be read: nodes is forbidden: User "x".');
});

test("a kubeconfig that cannot be used: the fix is one for a local cluster", async () => {
  const [problem] = await problemsOf({ kubeconfig: "/nowhere/config" });
  expect(problem).toMatchObject({
    got: "/nowhere/config",
    fix: "use the path of a kubeconfig, or create a cluster as docs/laptop.md describes",
  });
});

test("a context that does not exist is named as the user set it", async () => {
  const kubeconfig = kubeconfigFor("http://127.0.0.1:1");
  const [problem] = await problemsOf({ kubeconfig, context: "lap", contextPath: "localCluster.context" });
  expect(problem).toMatchObject({ path: "localCluster.context", got: "lap", fix: "did you mean lab?" });
});

test.each([
  ["https://127.0.0.1:6443", true],
  ["https://127.1.2.3", true],
  ["https://localhost:1", true],
  ["https://[::1]:6443", true],
  ["https://0.0.0.0:6443", false],
  ["https://127.0.0.1.example.org", false],
  ["https://localhost.example.org", false],
  ["https://127.0.0.1@example.org", false],
  ["https://host.docker.internal:6443", false],
  ["https://192.168.1.10:6443", false],
])("%s: on this machine is %s", (server, expected) => {
  expect(isLoopback(server)).toBe(expected);
});
