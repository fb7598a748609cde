import type { Series } from "../../promtool";
import { base, daemonSet, gpuNode, healthy, operator } from "../cluster-series";
import type { Firing, Scenario } from "../promtool-table";
import { always, ksm, since, step, until } from "../series";
import { asNewExporter, dcgm, target, xid } from "../target-series";
import { cronJob, deployment, job, pod } from "../workload-series";

const onNode = (node: string) => ({ node });
const inference = { namespace: "gpu-lab", deployment: "inference" };
const newPod = { namespace: "gpu-lab", pod: "inference-new" };

const lease = "lab-lease-nightly-lab-gpu";
const leaseRun = `${lease}-29405520`;
/** The longest name of an environment on demand. */
const longest = "l".repeat(16);
const failedRun = (name: string, owner: string | undefined, namespace = "kube-system") =>
  job(name, {
    nodes: [],
    pods: always(1),
    failed: always(1),
    namespace,
    ...(owner !== undefined && { cronJob: owner }),
  });

export const money: readonly Scenario[] = [
  [
    "a node runs longer than eight hours, with and without an operator",
    {
      ...healthy(),
      ...gpuNode("gpu-1", { age: 470 }),
      ...gpuNode("gpu-4", { age: 480, isPresent: false, gpus: "never" }),
    },
    [
      ["4m"],
      ["6m", ["GpuNodeUpTooLong", onNode("gpu-4"), 486 / 60]],
      [
        "16m",
        ["GpuNodeUpTooLong", onNode("gpu-1"), 486 / 60],
        ["GpuNodeUpTooLong", onNode("gpu-4"), 496 / 60],
        ["DcgmExporterDown", onNode("gpu-4")],
      ],
    ],
  ],
  [
    "a node without a label of GPUs, whose image has the plugin, runs longer than eight hours",
    { ...base(), ...gpuNode("auto", { age: 480, isPresent: false, nodeLabels: {} }) },
    [["4m"], ["6m", ["GpuNodeUpTooLong", onNode("auto"), 486 / 60]]],
  ],
  [
    "the GPU of a node has not been used for two hours",
    { ...healthy(), ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: always(2) }) },
    [["129m"], ["130m", ["GpuNodeIdle", { Hostname: "gpu-1" }, 2]]],
  ],
  [
    "the lease of a NodePool fails, until a later run succeeds; another Job without GPUs fails",
    {
      ...healthy(),
      ...failedRun(leaseRun, lease),
      ...cronJob(lease, 0, 10, "kube-system"),
      // Their names are similar, or they have no CronJob.
      ...failedRun("db-lease-end-1", "db-lease-end"),
      ...failedRun("db-lease-nightly-report-1", "db-lease-nightly-report"),
      ...failedRun("lab-release-nightly-lab-gpu-1", "lab-release-nightly-lab-gpu"),
      ...failedRun(`${lease}-2`, undefined),
      ...failedRun("other-lease-end-other-gpu-1", "other-lease-end-other-gpu", "other"),
    },
    [["2m", ["GpuLeaseFailed", { namespace: "kube-system", job_name: leaseRun }, 1]], ["11m"]],
  ],
  [
    "a run of a lease fails that a person started, under the longest name",
    { ...healthy(), ...failedRun("lab-lease-now-1", `${longest}-lease-end-${longest}-gpu`) },
    [["2m", ["GpuLeaseFailed", { namespace: "kube-system", job_name: "lab-lease-now-1" }, 1]]],
  ],
  [
    "the GPU of an idle node had no metrics for ten minutes, two hours ago",
    { ...healthy(), ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: `2x14 stale _x9 ${always(2)}` }) },
    [["129m"], ...["130m", "140m", "170m"].map((at) => [at, ["GpuNodeIdle", { Hostname: "gpu-1" }, 2]] as const)],
  ],
  [
    "the GPU of a node is idle, as an exporter that calls the label hostname reports it",
    asNewExporter({ ...healthy(), ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: always(2) }) }),
    [["129m"], ["130m", ["GpuNodeIdle", { Hostname: "gpu-1" }, 2]]],
  ],
];

/** Karpenter with a pod that waits from minute 5, without a GPU node. */
const onKarpenter = {
  ...base(),
  ...pod("inference-new", { set: "inference-1", waits: since(5, 1) }),
  'kube_deployment_status_replicas_available{namespace="kube-system", deployment="karpenter"}': always(1),
};

/** The same with the CronJob of a lease instead of Karpenter. */
const onLease = (cronjob: string, namespace = "kube-system") => ({
  ...base(),
  ...pod("inference-new", { set: "inference-1", waits: since(5, 1) }),
  [`kube_cronjob_info{namespace="${namespace}", cronjob="${cronjob}"}`]: always(1),
});

export const waiting: readonly Scenario[] = [
  [
    "a pod waits for a GPU, and Karpenter does not start a node",
    onKarpenter,
    [["14m"], ["15m", ["GpuPodWithoutNode", newPod]], ["60m", ["GpuPodWithoutNode", newPod]]],
  ],
  [
    "a pod waits for a GPU, and EKS Auto Mode, whose NodePool has a lease, starts no node",
    { ...onLease("lab-lease-nightly-lab-gpu"), ...onLease("lab-lease-end-lab-gpu") },
    [["14m"], ["15m", ["GpuPodWithoutNode", newPod]], ["60m", ["GpuPodWithoutNode", newPod]]],
  ],
  [
    "a pod waits for a GPU while Karpenter is down",
    {
      ...onLease("lab-lease-nightly-lab-gpu"),
      'kube_deployment_status_replicas_available{namespace="kube-system", deployment="karpenter"}': always(0),
    },
    [["14m"], ["15m", ["GpuPodWithoutNode", newPod]]],
  ],
  ["a pod waits for a GPU, and a CronJob has a similar name", onLease("db-lease-nightly-report"), [["60m"]]],
  ["a pod waits for a GPU, and another namespace has the CronJob", onLease("a-lease-end-a-gpu", "other"), [["60m"]]],
  [
    "a pod waits for a GPU without Karpenter, as between sessions",
    { ...base(), ...pod("inference-new", { set: "inference-1", waits: since(5, 1) }) },
    [["60m"]],
  ],
  [
    "a pod waits for a GPU",
    { ...healthy(), ...pod("inference-new", { set: "inference-1", waits: since(5, 1) }) },
    [["14m"], ["15m", ["GpuPodUnschedulable", newPod]]],
  ],
  [
    "a pod waits for a GPU of a node without a label of GPUs",
    {
      ...base(),
      ...gpuNode("auto", { isPresent: false, nodeLabels: {} }),
      ...pod("inference-new", { set: "inference-1", waits: since(5, 1) }),
    },
    [["14m"], ["15m", ["GpuPodUnschedulable", newPod]]],
  ],
  [
    "a pod waits for a MIG device, and a rollout for a shared GPU",
    {
      ...healthy(),
      ...pod("mig", { set: "mig-1", deployment: "mig", resource: "nvidia_com_mig_1g_5gb", waits: since(5, 1) }),
      ...pod("inference-new", { set: "inference-2", resource: "nvidia_com_gpu_shared", waits: since(5, 1) }),
      ...deployment({ replicas: step(1, 5, 2), stuck: step(0, 15, 1) }),
    },
    [
      ["9m"],
      ["10m", ["GpuRolloutDeadlock", inference]],
      [
        "20m",
        ["GpuRolloutDeadlock", inference],
        ["GpuPodUnschedulable", newPod],
        ["GpuPodUnschedulable", { ...newPod, pod: "mig" }],
        ["GpuDeploymentNotProgressing", inference],
      ],
    ],
  ],
  [
    "a sidecar waits for a GPU, and an init container of a rollout for a MIG device",
    {
      ...healthy(),
      ...pod("sidecar", { set: "sidecar-1", deployment: "sidecar", kind: "sidecar", waits: since(5, 1) }),
      ...pod("inference-new", {
        set: "inference-2",
        resource: "nvidia_com_mig_2g_10gb",
        kind: "init",
        waits: since(5, 1),
      }),
      ...deployment({ replicas: step(1, 5, 2), stuck: step(0, 15, 1) }),
    },
    [
      ["9m"],
      [
        "20m",
        ["GpuRolloutDeadlock", inference],
        ["GpuPodUnschedulable", newPod],
        ["GpuPodUnschedulable", { ...newPod, pod: "sidecar" }],
        ["GpuDeploymentNotProgressing", inference],
      ],
    ],
  ],
  [
    "surge 1 and unavailable 0: the new revision waits for the GPU that the old one holds",
    {
      ...healthy(),
      ...pod("inference-new", { set: "inference-2", waits: since(5, 1) }),
      ...deployment({ replicas: step(1, 5, 2), stuck: step(0, 15, 1) }),
    },
    [
      ["9m"],
      ["10m", ["GpuRolloutDeadlock", inference]],
      ["15m", ["GpuRolloutDeadlock", inference], ["GpuPodUnschedulable", newPod]],
      [
        "20m",
        ["GpuRolloutDeadlock", inference],
        ["GpuPodUnschedulable", newPod],
        ["GpuDeploymentNotProgressing", inference],
      ],
    ],
  ],
  [
    "a session begins with a rollout that had given up beforehand and that hangs once more",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { age: -5, gpus: since(12, 1), labels: since(6, 1), ready: since(6, 1) }),
      ...daemonSet({ desired: step(0, 6, 1), ready: step(0, 12, 1) }),
      ...pod("inference-new", { set: "inference-2", waits: always(1) }),
      ...pod("inference-old", { set: "inference-1", node: "gpu-1" }),
      ...deployment({ replicas: always(2), stuck: always(1) }),
    },
    [
      ["19m"],
      ["20m", ["GpuRolloutDeadlock", inference], ["GpuDeploymentNotProgressing", inference]],
      [
        "25m",
        ["GpuRolloutDeadlock", inference],
        ["GpuPodUnschedulable", newPod],
        ["GpuDeploymentNotProgressing", inference],
      ],
    ],
  ],
  [
    "the new revision has a GPU and cannot pull its image",
    {
      ...healthy(),
      ...pod("inference-new", { set: "inference-2", node: "gpu-2" }),
      ...deployment({ stuck: step(0, 5, 1) }),
    },
    [["9m"], ["10m", ["GpuDeploymentNotProgressing", inference]]],
  ],
];

const run = (name: string, ...nodes: readonly string[]) => job(name, { owner: "StatefulSet", nodes, pods: always(1) });
const waits = (pod: string): Firing => ["GpuPodUnschedulable", { namespace: "gpu-lab", pod }];
const deadlocked = (owner_name: string, gpus = 1): Firing => [
  "GpuGangDeadlock",
  { namespace: "gpu-lab", owner_kind: "StatefulSet", owner_name },
  gpus,
];

export const runs: readonly Scenario[] = [
  [
    "two runs hold one of two GPUs each",
    { ...healthy(), ...run("train-a", "gpu-1", ""), ...run("train-b", "gpu-2", "") },
    [["9m"], ["10m", waits("train-a-1"), waits("train-b-1"), deadlocked("train-a"), deadlocked("train-b")]],
  ],
  [
    "a run needs one GPU more, another one three: the GPUs of the first are not enough for the second",
    { ...healthy(), ...run("train-a", "gpu-1", ""), ...run("train-b", "gpu-2", "", "", "") },
    [["10m", ...["a-1", "b-1", "b-2", "b-3"].map((rank) => waits(`train-${rank}`)), deadlocked("train-a")]],
  ],
  [
    "three runs hold one GPU each, and need two more",
    Object.assign(healthy(), ...["a", "b", "c"].map((name) => run(`train-${name}`, "gpu-1", "", ""))) as Series,
    [
      [
        "10m",
        ...["a", "b", "c"].flatMap((name) => [1, 2].map((rank) => waits(`train-${name}-${rank}`))),
        ...["a", "b", "c"].map((name) => deadlocked(`train-${name}`, 2)),
      ],
    ],
  ],
  [
    "one run waits alone, one has all of its GPUs, one waits whole, and a pod that has ended held one",
    {
      ...healthy(),
      ...run("train-a", "gpu-1", ""),
      ...run("train-b", "gpu-2", "gpu-2"),
      ...run("train-c", "", ""),
      ...run("train-d", "gpu-1", ""),
      ...ksm("kube_pod_status_phase", { namespace: "gpu-lab", pod: "train-d-0", phase: "Succeeded" }, always(1)),
    },
    [["30m", ...["a-1", "c-0", "c-1", "d-1"].map((rank) => waits(`train-${rank}`))]],
  ],
  [
    "two Deployments hold one of two GPUs each: their pods work alone",
    {
      ...healthy(),
      ...Object.assign(
        {},
        ...["a", "b"].map((name) => ({
          ...pod(`${name}-1`, { set: name, deployment: name, node: "gpu-1" }),
          ...pod(`${name}-2`, { set: name, deployment: name, waits: always(1) }),
        })),
      ),
    },
    [["30m", waits("a-2"), waits("b-2")]],
  ],
];

const onBoth = (alert: string, value = 1): Firing[] =>
  ["gpu-1", "gpu-2"].map((node): Firing => [alert, onNode(node), value]);
const failedJob = (name: string): Firing => ["GpuJobFailed", { namespace: "gpu-lab", job_name: name }];
const failed = failedJob("all-reduce");

/** What Prometheus, on the system node, reads of a GPU node while the paths between nodes are closed from 5 to 25. */
function closed(node: string): Series {
  const answers = `1x4 0x19 ${always(1)}`;
  const metrics = `40x4 stale _x19 ${always(40)}`;
  return {
    ...gpuNode(node),
    ...target("node-exporter", node, answers),
    ...target("nvidia-dcgm-exporter", node, answers, "gpu-operator"),
    ...dcgm(node, {
      DCGM_FI_DEV_GPU_UTIL: metrics,
      DCGM_FI_DEV_GPU_TEMP: metrics,
      DCGM_FI_DEV_ROW_REMAP_FAILURE: `0x4 stale _x19 ${always(0)}`,
    }),
    ...xid(node, 0, `0x4 stale _x19 ${always(0)}`),
  };
}

export const betweenNodes: readonly Scenario[] = [
  [
    "the lab nccl-block: paths close, a fresh Job starts a minute later and gives up after five; open again, a new Job",
    {
      ...base(),
      ...operator(),
      ...daemonSet(),
      ...closed("gpu-1"),
      ...closed("gpu-2"),
      ...target("node-exporter", "system"),
      ...job("all-reduce", { nodes: ["gpu-1", "gpu-2"], pods: always(1), failed: "_x11 1x13 stale" }),
    },
    [
      ["9m"],
      ["10m", ...onBoth("GpuNodeUnreachable", 2)],
      ["11m", ...onBoth("GpuNodeUnreachable", 2)],
      ["12m", ...onBoth("GpuNodeUnreachable", 2), failed],
      ["14m", ...onBoth("GpuNodeUnreachable", 2), failed],
      ["15m", ...onBoth("GpuNodeUnreachable", 2), failed, ...onBoth("DcgmExporterDown")],
      ["24m", ...onBoth("GpuNodeUnreachable", 2), failed, ...onBoth("DcgmExporterDown")],
      ["26m"],
      ["60m"],
    ],
  ],
  [
    "old connections outlived the rules until Prometheus is started anew: all that it knows begins then",
    {
      ...base(),
      ...operator(),
      ...daemonSet({ desired: always(1) }),
      ...gpuNode("gpu-1"),
      ...target("node-exporter", "gpu-1", always(0)),
      ...target("nvidia-dcgm-exporter", "gpu-1", always(0), "gpu-operator"),
      ...target("node-exporter", "system"),
    },
    [
      ["4m"],
      ["5m", ["GpuNodeUnreachable", onNode("gpu-1"), 2]],
      ["10m", ["GpuNodeUnreachable", onNode("gpu-1"), 2], ["DcgmExporterDown", onNode("gpu-1")]],
    ],
  ],
  [
    "a Job with GPUs runs into its deadline, and Kubernetes deletes its pods",
    { ...healthy(), ...job("all-reduce", { nodes: ["gpu-2"], pods: until(20, 1), failed: since(20, 1) }) },
    [["20m"], ["21m", failed], ["70m", failed], ["85m"]],
  ],
  [
    "a Job fails whose init container had the GPU",
    { ...healthy(), ...job("all-reduce", { nodes: ["gpu-2"], pods: always(1), failed: since(5, 1), kind: "init" }) },
    [["5m"], ["6m", failed]],
  ],
  [
    "Jobs fail and are kept: one alone, on a MIG device, and runs of two CronJobs, of which one succeeds an hour later",
    {
      ...healthy(),
      ...job("all-reduce", {
        nodes: ["gpu-2"],
        pods: always(1),
        failed: since(5, 1),
        resource: "nvidia_com_mig_1g_5gb",
      }),
      ...job("eval-1", { nodes: ["gpu-2"], pods: always(1), failed: since(5, 1), cronJob: "eval" }),
      ...cronJob("eval", -60),
      ...job("train-1", { nodes: ["gpu-2"], pods: always(1), failed: since(5, 1), cronJob: "train" }),
      ...cronJob("train", -60, 65),
    },
    [
      ["5m"],
      ["6m", failed, failedJob("eval-1"), failedJob("train-1")],
      ["64m", failed, failedJob("eval-1"), failedJob("train-1")],
      ["65m", failed, failedJob("eval-1")],
      ["175m", failed, failedJob("eval-1")],
    ],
  ],
];
