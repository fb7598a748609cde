// Measures `eks-gpu-lab triage` on a large cluster, as a cold process: 500 nodes (300 with GPUs), 5,000 pods and 10,000
// events, with objects as large as real ones. A second process serves them; each response takes a round trip longer.
// The fastest run counts: other processes only make a run slower. The exit status is 1 over budget.
//
//   node tools/bench/triage.mjs [runs] [round trip in milliseconds]
import { fork, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers";
import { fileURLToPath } from "node:url";
import { root, since, usageHook } from "./measure.mjs";

const runs = Number(process.argv[2] ?? 5);
const roundTripMs = Number(process.argv[3] ?? 50);
const size = { nodes: 500, gpuNodes: 300, pods: 5000, events: 10_000 };
const budget = { seconds: 2, mebibytes: 250 };

if (process.send) serve(roundTripMs);
else await measure();

async function measure() {
  const scratch = mkdtempSync(join(tmpdir(), "bench-triage-"));
  const server = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
  const port = await new Promise((resolve) => server.once("message", resolve));
  const kubeconfig = join(scratch, "kubeconfig");
  const report = join(scratch, "usage.json");
  const hook = usageHook(scratch);
  const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "bench" },
    clusters: [{ name: "bench", cluster }],
    users: [{ name: "bench", user: { token: "t" } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const seconds = [];
  const cpuSeconds = [];
  const mebibytes = [];
  for (let run = 0; run <= runs; run++) {
    const start = process.hrtime.bigint();
    const args = ["-r", hook, "dist/cli.js", "triage", "--json", "--kubeconfig", kubeconfig];
    const { status, out } = await commandOf(args, { ...process.env, BENCH_REPORT: report });
    const took = since(start) / 1000;
    if (status !== 1) throw new Error(`status ${status}\n${out}`);
    if (run === 0) {
      const ids = JSON.parse(out).conclusions.map(({ id }) => id);
      console.log(`${ids.length} conclusions, the first is ${ids[0]}`);
      continue; // warms up the file cache
    }
    seconds.push(took);
    const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(readFileSync(report, "utf8"));
    mebibytes.push(maxRSS / 1024);
    cpuSeconds.push((userCPUTime + systemCPUTime) / 1e6);
  }
  server.kill();
  rmSync(scratch, { recursive: true });
  const [low, middle, high] = [0, 0.5, 1].map((at) => seconds.toSorted((a, b) => a - b)[Math.floor((runs - 1) * at)]);
  const memory = Math.max(...mebibytes);
  const exceeded = [
    ...(low > budget.seconds ? [`${(low - budget.seconds).toFixed(2)} s too slow`] : []),
    ...(memory > budget.mebibytes ? [`${(memory - budget.mebibytes).toFixed(0)} MiB too much`] : []),
  ];
  console.log(
    `${runs} runs on Node ${process.version}, round trip ${roundTripMs} ms\n` +
      `fastest ${low.toFixed(2)} s (median ${middle.toFixed(2)}, slowest ${high.toFixed(2)}), at least ${Math.min(...cpuSeconds).toFixed(2)} s of CPU, ${memory.toFixed(0)} MiB at most\n` +
      `budget ${budget.seconds} s, ${budget.mebibytes} MiB: ${exceeded.length === 0 ? "kept" : `EXCEEDED, ${exceeded.join(", ")}`}`,
  );
  process.exitCode = exceeded.length === 0 ? 0 : 1;
}

function commandOf(args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (out += child.exitCode === 1 ? "" : chunk));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, out }));
  });
}

/** Lists with pages and the selectors that triage uses. */
function serve(delayMs) {
  const objects = Object.fromEntries(
    Object.entries(clusterObjects()).map(([resource, items]) => [
      resource,
      items.map((item) => ({ item, json: JSON.stringify(item) })),
    ]),
  );
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://x");
    const [, namespace, resource] = /v1(?:\/namespaces\/([^/]+))?\/([a-z]+)$/.exec(url.pathname) ?? [];
    const fields = (url.searchParams.get("fieldSelector") ?? "").split(",").filter(Boolean);
    const labels = (url.searchParams.get("labelSelector") ?? "").split(",").filter(Boolean);
    const selected = (objects[resource] ?? []).filter(
      ({ item }) =>
        (namespace === undefined || item.metadata.namespace === namespace) &&
        fields.every((one) => {
          const [path, value] = one.split("=");
          return path.split(".").reduce((at, key) => at?.[key], item) === value;
        }) &&
        labels.every((one) => item.metadata.labels?.[one.split("=")[0]] === one.split("=")[1]),
    );
    const from = Number(url.searchParams.get("continue") ?? 0);
    const until = from + Number(url.searchParams.get("limit") ?? 500);
    const metadata = until < selected.length ? { continue: String(until) } : {};
    const items = selected.slice(from, until).map(({ json }) => json);
    const body = `{"kind":"List","metadata":${JSON.stringify(metadata)},"items":[${items.join(",")}]}`;
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(body);
    }, delayMs);
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

function clusterObjects() {
  const padding = "x".repeat(60);
  const managedFields = (entries) =>
    Array.from({ length: entries }, (_, at) => ({
      manager: "kubelet",
      fieldsV1: { [`f:${padding}${at}`]: { "f:x": {} } },
    }));
  const time = new Date(Date.now() - 3_600_000).toISOString();
  const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
  const nodes = Array.from({ length: size.nodes }, (_, at) => nodeOf(at));
  const pods = Array.from({ length: size.pods }, (_, at) => podOf(at));
  const events = Array.from({ length: size.events }, (_, at) => eventOf(at));
  const set = (name, namespace) => ({
    metadata: { name, namespace, creationTimestamp: time },
    spec: { replicas: 1, template: { spec: { tolerations, containers: [{ name }] } } },
    status: { desiredNumberScheduled: size.gpuNodes, numberReady: size.gpuNodes, readyReplicas: 1 },
  });
  const daemonsets = Array.from({ length: 20 }, (_, at) => set(`agent-${at}`, "kube-system"));
  const deployments = Array.from({ length: 500 }, (_, at) => set(`app-${at}`, `team-${at % 50}`));
  return { nodes, pods, events, daemonsets, deployments };

  function nodeOf(at) {
    const hasGpu = at < size.gpuNodes;
    const amounts = { cpu: "4", memory: "16Gi", pods: "50", ...(hasGpu && { "nvidia.com/gpu": "1" }) };
    const types = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "KernelReady"];
    return {
      metadata: {
        ...{ name: `node-${at}`, creationTimestamp: time, managedFields: managedFields(40) },
        labels: { "node.kubernetes.io/instance-type": hasGpu ? "g5.xlarge" : "m5.xlarge", ...labelsOf(40) },
      },
      spec: { taints: hasGpu ? [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }] : [] },
      status: {
        ...{ capacity: amounts, allocatable: amounts, images: images() },
        conditions: types.map((type) => ({
          type,
          status: /Pressure/.test(type) ? "False" : "True",
          lastTransitionTime: time,
        })),
      },
    };
  }
  function images() {
    return Array.from({ length: 30 }, (_, at) => ({
      names: [`registry.example/${padding}/${at}@sha256:${padding}`],
      sizeBytes: at,
    }));
  }
  function labelsOf(count) {
    return Object.fromEntries(Array.from({ length: count }, (_, at) => [`nvidia.com/label-${at}`, "true"]));
  }
  function podOf(at) {
    const isPending = at % 50 === 0;
    const onNode = isPending ? {} : { nodeName: `node-${at % size.nodes}` };
    const usesGpu = isPending || (at < size.nodes && at % size.nodes < size.gpuNodes);
    const env = Array.from({ length: 20 }, (_, one) => ({ name: `NAME_${one}`, value: padding }));
    const mounts = Array.from({ length: 6 }, (_, one) => ({ name: `volume-${one}`, mountPath: `/${padding}/${one}` }));
    const resources = usesGpu ? { limits: { "nvidia.com/gpu": "1" } } : { requests: { cpu: "100m" } };
    const message =
      "0/500 nodes are available: 200 node(s) didn't match Pod's node affinity/selector, 300 Insufficient nvidia.com/gpu.";
    return {
      metadata: {
        ...{
          name: `pod-${at}`,
          namespace: `team-${at % 50}`,
          creationTimestamp: time,
          managedFields: managedFields(30),
        },
        ...{ labels: labelsOf(8), ownerReferences: [{ kind: "ReplicaSet", name: `app-${at % 500}-abc` }] },
      },
      spec: {
        ...{ ...onNode, tolerations, volumes: mounts.map(({ name }) => ({ name, configMap: { name } })) },
        containers: ["main", "sidecar"].map((name) => ({ name, image: padding, env, volumeMounts: mounts, resources })),
      },
      status: {
        phase: isPending ? "Pending" : "Running",
        conditions: isPending
          ? [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastTransitionTime: time }]
          : ["PodScheduled", "Ready", "Initialized"].map((type) => ({
              type,
              status: "True",
              lastTransitionTime: time,
            })),
        containerStatuses: isPending ? [] : [{ name: "main", ready: true, restartCount: 0, state: { running: {} } }],
      },
    };
  }
  function eventOf(at) {
    const reasons = ["FailedScheduling", "FailedScheduling", "NotTriggerScaleUp", "FailedMount", "BackOff", "Pulled"];
    const name = `pod-${(at * 50) % size.pods}`;
    return {
      metadata: { name: `event-${at}`, namespace: `team-${at % 50}`, managedFields: managedFields(3) },
      involvedObject: { kind: "Pod", name, namespace: `team-${at % 50}` },
      ...{ reason: reasons[at % reasons.length], type: "Warning", count: 3, lastTimestamp: time },
      message: "0/500 nodes are available: 300 Insufficient nvidia.com/gpu. preemption: not eligible.",
    };
  }
}
