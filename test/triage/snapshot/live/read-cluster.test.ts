import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Report } from "../../../../triage/triage";
import { runCli } from "../../../support/cli";
import { folder } from "../../../support/files";
import { apiServer, forbid, send } from "../../support/api-server";
import * as clusters from "../../support/clusters";
import { causes, labelled, triage } from "../../support/live";
import { conditions, event, gpuNode, node, pod, secret } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

describe("a live cluster", () => {
  test.for([
    ["healthy", 0, []],
    ["pluginOff", 1, ["device-plugin-disabled"]],
    ["rollout", 1, ["rollout-deadlock"]],
    ["dcgmAlarm", 1, ["dcgm-false-alarm"]],
    ["atRest", 0, []],
  ] as const)("%s: exit status %i", async ([name, expected, ids]) => {
    const api = await apiServer({ items: labelled(clusters[name]) });
    const { status, out, err } = await triage(api, "--json");
    expect([err, status, causes(out)]).toEqual(["", expected, ids]);
  });

  test("sends only GET requests for the documented resources", async () => {
    const api = await apiServer({ items: labelled([...clusters.pluginOff, ...clusters.rollout]) });
    await triage(api);
    const kinds = new Set(
      api.requests.map((one) => /^GET \/api.*?\/v1(?:\/namespaces\/[^/]+)?\/([a-z]+)/.exec(one)?.[1]),
    );
    const allowed = [
      "nodes",
      "pods",
      "events",
      "daemonsets",
      "deployments",
      "replicasets",
      "jobs",
      "clusterpolicies",
      "persistentvolumeclaims",
    ];
    expect([...kinds].filter((kind) => !allowed.includes(kind ?? ""))).toEqual([]);
  });

  test("reads long lists in pages", async () => {
    const many = Array.from({ length: 25 }, (_, at) => node(`ip-extra-${at}`));
    const api = await apiServer({ items: labelled([...clusters.healthy, ...many]), pageSize: 10 });
    const { out } = await triage(api);
    expect(out).toContain("29 nodes, 2 with GPUs");
    expect(api.requests.filter((one) => one.includes("/nodes?"))).toHaveLength(3);
  });

  test("sends independent requests concurrently, and the dump does not depend on the order of the responses", async () => {
    const many = Array.from({ length: 12 }, (_, at) => gpuNode(`ip-gpu-${at}`));
    const items = labelled([...clusters.pluginOff, ...clusters.rollout, ...many]);
    const dumps: string[] = [];
    for (const delayOf of [(at: number) => at % 7, (at: number) => 12 - (at % 5)]) {
      let count = 0;
      const api = await apiServer({ items, delay: () => delayOf((count += 1)) });
      const file = join(folder({}), "dump.json");
      await triage(api, "--save", file);
      expect(api.mostRequests()).toBeGreaterThan(4);
      expect(api.mostRequests()).toBeLessThanOrEqual(16);
      expect(api.connections()).toBeLessThanOrEqual(16);
      dumps.push(readFileSync(file, "utf8").replace(/"takenAt": "[^"]*"/, ""));
    }
    expect(dumps[0]).toBe(dumps[1]);
  });

  test("lists only pending pods, pods on GPU nodes and the operator's pods", async () => {
    const api = await apiServer({
      items: labelled([...clusters.healthy, pod("web", { namespace: "web", node: "ip-sys-1" })]),
    });
    await triage(api);
    const lists = api.requests
      .filter((one) => one.startsWith("GET /api/v1/pods?"))
      .map((one) => new URL(one.slice(4), "http://x").searchParams.get("fieldSelector"));
    expect(lists).toEqual(["status.phase=Pending", "spec.nodeName=ip-gpu-a", "spec.nodeName=ip-gpu-b"]);
  });

  test("lists the pods of a node that is down or in question: one of them can be the cause", async () => {
    const volumes = [{ name: "s", hostPath: { path: "/run/containerd/containerd.sock", type: "" } }];
    const mount = (name: string, node: string) => pod(name, { namespace: "web", node, spec: { volumes } });
    const suspects = [mount("one", "ip-sys-1"), mount("two", "ip-sys-2")];
    const silent = conditions({ Ready: { status: "Unknown", reason: "NodeStatusUnknown" } });
    const down = node("ip-sys-1", { conditions: silent });
    const api = await apiServer({ items: labelled([...clusters.changed({ "ip-sys-1": down }), ...suspects]) });
    const journal = join(folder({ journal: "failed to get listener for main endpoint: is a directory" }), "journal");
    const named = async (...args: string[]) => {
      const { conclusions } = JSON.parse((await triage(api, "--json", "--log", journal, ...args)).out) as Report;
      const found = conclusions.find(({ id }) => id === "containerd-socket-is-directory");
      return [found?.subject, ...(found?.evidence.slice(1).map(({ object }) => object) ?? [])];
    };
    expect(await named()).toEqual(["node ip-sys-1", "-n web pod/one"]);
    expect(await named("node", "ip-sys-2")).toEqual(["node ip-sys-2", "-n web pod/two"]);
    expect(await named("pod", "two", "-n", "web")).toEqual(["node ip-sys-2", "-n web pod/two"]);
  });

  test("reads events of pods that do not start, and failed Jobs without pods", async () => {
    const creating = pod("web", { namespace: "web", node: "ip-sys-1", phase: "Pending", statuses: [] });
    const about = { kind: "Pod", name: "web", namespace: "web" };
    const said = event(["Pod", "web"], "FailedCreatePodSandBox", "connection refused", {
      metadata: { name: "e", namespace: "web" },
      involvedObject: about,
    });
    const job = {
      kind: "Job",
      metadata: { name: "all-reduce", namespace: "nccl-block" },
      spec: { template: { spec: { containers: [{ name: "n", resources: { limits: { "nvidia.com/gpu": "1" } } }] } } },
      status: { conditions: [{ type: "Failed", status: "True", reason: "DeadlineExceeded" }] },
    };
    const api = await apiServer({ items: labelled([...clusters.healthy, creating, said, job]) });
    expect(causes((await triage(api, "--json")).out)).toEqual(["pod-sandbox", "job-out-of-time"]);
    expect(causes((await triage(api, "--json", "-n", "web")).out)).toEqual(["pod-sandbox"]);

    const failed = { type: "Failed", status: "True", reason: "FailedIndexes" };
    const half = { ...job, status: { succeeded: 1, failed: 1, conditions: [failed] } };
    const other = await apiServer({ items: labelled([...clusters.healthy, half]) });
    expect(causes((await triage(other, "--json")).out)).toEqual(["job-failed"]);
  });

  test("a pod in the namespace of the context, with errors from logs", async () => {
    const line = '{"msg":"step completed","state:":"state-device-plugin","status":"disabled"}';
    const its = pod("gpu-operator-1", { namespace: "gpu-operator", node: "ip-sys-1", labels: { app: "gpu-operator" } });
    const api = await apiServer({
      items: labelled([...clusters.pluginOff, its]),
      logs: { "gpu-operator-1": `token ${secret}\n${line}\n` },
    });
    const { out } = await triage(api, "pod", "gpu-probe");
    expect(out).toContain("Triage of pod gpu-lab/gpu-probe in lab");
    expect(out).toContain('"state-device-plugin","status":"disabled"');
    expect(out).not.toContain(secret);
    const without = await apiServer({ items: labelled([...clusters.pluginOff, its]) });
    await triage(without, "pod/gpu-probe", "--no-logs");
    expect(without.requests.filter((one) => one.includes("/log"))).toEqual([]);
  });

  test("reads the previous run of a container that keeps ending, and keeps only known errors", async () => {
    const waiting = { waiting: { reason: "CrashLoopBackOff" } };
    const statuses = [
      { name: "server", ready: false, restartCount: 5, state: waiting },
      { name: "proxy", ready: true, restartCount: 0, state: { running: {} } },
    ];
    const vllm = pod("vllm", { node: "ip-gpu-b", gpus: 1, statuses });
    const line = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.";
    const api = await apiServer({
      items: labelled([...clusters.healthy, vllm]),
      logs: { vllm: `token ${secret}\n${line}\n` },
    });
    const { out } = await triage(api, "--json");
    expect(causes(out)).toEqual(["kv-cache-no-memory"]);
    expect(out).not.toContain(secret);
    expect(api.requests.filter((one) => one.includes("/log"))).toEqual([
      "GET /api/v1/namespaces/gpu-lab/pods/vllm/log?container=server&tailLines=200&previous=true",
    ]);
  });

  test("reads the init container that a component waits for", async () => {
    const line = "Check failed. Has the NVIDIA GPU driver been set up?";
    const init = { name: "init-container", ready: false, restartCount: 0, state: { running: {} } };
    const driver = "nvidia-dra-driver-gpu-kubelet-plugin";
    const raw = pod(`${driver}-x`, { node: "ip-gpu-b", phase: "Pending", owner: ["DaemonSet", driver], statuses: [] });
    const starting = { ...raw, status: { ...(raw["status"] as object), initContainerStatuses: [init] } };
    const api = await apiServer({
      items: labelled([...clusters.healthy, starting]),
      logs: { [`${driver}-x`]: `token ${secret}\n${line}\n` },
    });
    expect(causes((await triage(api, "--json")).out)).toEqual(["gpu-driver-missing"]);
    expect(api.requests.filter((one) => one.includes("/log"))).toEqual([
      `GET /api/v1/namespaces/gpu-lab/pods/${driver}-x/log?container=init-container&tailLines=200`,
    ]);
  });

  test.for([
    ["without the word error", "reactor 7 vanished, giving up\nexiting now"],
    ["in another language", "Der Rechner hat keine Lust mehr\nAuf Wiedersehen"],
    ["with a traceback of numbers only", "0x7f3a 0x7f3b\n-11"],
  ] as const)("the last lines of a run that ended are evidence, live and saved: %s", async ([, last]) => {
    const state = { terminated: { exitCode: 3, reason: "Error" } };
    const statuses = [{ name: "server", ready: false, restartCount: 0, state }];
    const job = pod("batch", { node: "ip-gpu-b", gpus: 1, phase: "Failed", statuses });
    const api = await apiServer({
      items: labelled([...clusters.healthy, job]),
      logs: { batch: `${secret}\ntwo\n\n${last}\n` },
    });
    const file = join(folder({}), "dump.json");
    const live = await triage(api, "--save", file);
    for (const line of last.split("\n")) expect(live.out).toContain(`log = ${line}`);
    expect(await runCli(["triage", "--from", file])).toEqual({ ...live, err: "" });
    expect(readFileSync(file, "utf8")).not.toContain(secret);
  });

  test("a saved dump gives the same report, as text and JSON", async () => {
    const api = await apiServer({ items: labelled(clusters.pluginOff) });
    const file = join(folder({}), "dump.json");
    const live = await triage(api, "pod", "gpu-probe", "--save", file);
    expect(readFileSync(file, "utf8")).not.toContain(secret);
    expect(await runCli(["triage", "--from", file])).toEqual({ ...live, err: "" });
    const json = await runCli(["triage", "--from", file, "--json"]);
    const again = join(folder({}), "again.json");
    expect(await runCli(["triage", "--from", file, "--json", "--save", again])).toEqual({
      ...json,
      err: `Wrote ${again}\n`,
    });
    expect(readFileSync(again, "utf8")).toBe(readFileSync(file, "utf8"));
  });
});

describe("what may not be read", () => {
  test("reports a denied list and continues", async () => {
    const api = await apiServer({
      items: labelled(clusters.pluginOff),
      intercept: (path, response) => /\/events/.test(path) && forbid(response),
    });
    const { status, out } = await triage(api);
    expect(status).toBe(1);
    expect(out).toMatch(/\n {2}events of all namespaces: .* \(403\)\n/);
    wording.add(out.slice(out.indexOf("Not read"), out.indexOf("Conclusion")));
    expect(out).toContain("device-plugin-disabled");
  });

  test("a user with access to single namespaces gets a report of these", async () => {
    const everywhere = /^\/(api|apis\/[a-z]+)\/v1\/[a-z]+\?/;
    const api = await apiServer({
      items: labelled(clusters.rollout),
      intercept: (path, response) => everywhere.test(path) && !/nodes|clusterpolicies/.test(path) && forbid(response),
    });
    const { status, out } = await triage(api, "-n", "gpu-lab", "--json");
    expect([status, causes(out)]).toEqual([1, ["rollout-deadlock"]]);
    const { unread } = JSON.parse(out) as Report;
    expect(unread.map(({ what, where }) => `${what} of ${where}`)).toEqual([
      "daemonsets of all namespaces",
      "deployments of all namespaces",
      "pods of all namespaces",
      "events of all namespaces",
    ]);
  });

  test("a report without findings names what could not be read", async () => {
    const api = await apiServer({
      items: labelled(clusters.healthy),
      intercept: (path, response) => /daemonsets/.test(path) && forbid(response),
    });
    const { status, out } = await triage(api);
    expect(status).toBe(0);
    wording.add(out.slice(out.lastIndexOf("Nothing")));
    expect(out.slice(out.lastIndexOf("Nothing"))).toContain("daemonsets");
  });

  test("neither nodes nor pods can be read: status 2", async () => {
    const api = await apiServer({
      items: [],
      intercept: (path, response) => /nodes|pods/.test(path) && forbid(response),
    });
    const { status, err } = await triage(api);
    expect(status).toBe(2);
    expect(err).toContain("docs/triage.md");
    wording.add(err);
  });

  test("without the resource definition of the operator, no policy is missing", async () => {
    const api = await apiServer({
      items: clusters.systemNodes,
      intercept: (path, response) => path.includes("clusterpolicies") && send(response, 404, "404 page not found\n"),
    });
    const { status, out } = await triage(api);
    expect(status).toBe(0);
    expect(out).toContain("no ClusterPolicy");
    expect(out).not.toContain("Not read");
  });

  test("a list that expires during the read is reported as cut", async () => {
    const many = Array.from({ length: 25 }, (_, at) => node(`ip-extra-${at}`));
    const api = await apiServer({
      items: many,
      pageSize: 10,
      intercept: (path, response) => path.includes("continue=20") && send(response, 410, { message: "Expired" }),
    });
    expect((await triage(api)).out).toMatch(/nodes of all namespaces: .*\b20\b/);
  });

  test("retries while the server is busy", async () => {
    let refusals = 0;
    const api = await apiServer({
      items: labelled(clusters.healthy),
      intercept: (_, response) => {
        if (refusals > 0) return false;
        refusals += 1;
        response.writeHead(429, { "retry-after": "0" });
        response.end("{}");
        return true;
      },
    });
    expect((await triage(api)).status).toBe(0);
  });

  test("a malformed response is read as empty", async () => {
    const api = await apiServer({
      items: labelled(clusters.healthy),
      intercept: (path, response) =>
        path.includes("daemonsets") && send(response, 200, '{"items":[5,{"metadata":[]},null]}'),
    });
    expect((await triage(api)).err).toBe("");
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
