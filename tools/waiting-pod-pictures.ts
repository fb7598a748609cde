import type { LabPicture } from "./draw-lab-pictures";

/** The pictures of labs whose pods wait for a GPU. */
export const waitingPodPictures = {
  "gpu-rollout": {
    title: "the new pod waits for the old pod, and the old pod for the new one",
    boxes: [
      ["deployment", "plain", "Deployment inference, 1 replica", "25 % and 25 %: maxSurge 1, maxUnavailable 0"],
      ["old", "works", "pod of revision 1", "Running, still serves"],
      ["fresh", "waits", "pod of revision 2", "Pending"],
      ["gpu", "works", "the one GPU", "nvidia.com/gpu: 1"],
      ["scheduler", "plain", "kube-scheduler", "1 Insufficient nvidia.com/gpu", "1 No preemption victims found"],
      ["other", "gone", "every other node", "has another host name"],
    ],
    groups: [["node", "the pinned node", ["gpu"], { labelloc: "b" }]],
    rows: [["deployment"], ["old", "fresh"], ["gpu", "scheduler", "other"]],
    arrows: [
      ["deployment", "old", "plain", "stops it only when\nthe new pod is ready"],
      ["deployment", "fresh", "plain", "creates it first"],
      ["fresh", "old", "waits", "waits for its GPU", { back: true }],
      ["old", "gpu", "works", "holds"],
      ["fresh", "scheduler", "waits", "requests a GPU"],
      ["scheduler", "gpu", "gone", "in use, equal priority", { back: true }],
      ["scheduler", "other", "gone", "nodeSelector"],
    ],
    spread: 0.7,
  },
  "no-node-comes": {
    title: "no NodePool fits the pod, so no node starts",
    boxes: [
      ["pod", "waits", "pod render", "Pending"],
      ["karpenter", "works", "Karpenter", "Running, no error"],
      ["event", "plain", "event FailedScheduling of the pod", "Failed to schedule pod, …"],
      ["pool", "misleads", "NodePool", "Ready: True"],
      ["limit", "plain", "limit", "GPUs of all nodes"],
      ["taints", "plain", "taints", "which the pod tolerates"],
      ["labels", "plain", "zone and labels", "which the pod selects"],
      ["types", "plain", "instance types", "CPUs, memory and GPUs"],
      ["node", "gone", "no NodeClaim, no node", "no cost, no other alert"],
    ],
    groups: [["checks", "what must fit the pod", ["limit", "taints", "labels", "types"]]],
    rows: [["pod", "event"], ["karpenter", "pool"], ["limit", "taints", "labels", "types"], ["node"]],
    arrows: [
      ["pod", "karpenter", "waits", "waits for a node"],
      ["karpenter", "event", "plain", "states why", { back: true }],
      ["karpenter", "pool", "plain", "compares the pod with"],
      ["pool", "limit", "plain"],
      ["pool", "taints", "plain"],
      ["pool", "labels", "plain"],
      ["pool", "types", "plain"],
      ["labels", "node", "gone", "one does not fit"],
    ],
  },
  "gang-deadlock": {
    title: "each run holds one GPU and waits for the other",
    boxes: [
      ["a0", "misleads", "train-a-0", "Running, waits for train-a-1"],
      ["b0", "misleads", "train-b-0", "Running, waits for train-b-1"],
      ["gpu1", "works", "GPU of the first node", "in use, idle"],
      ["gpu2", "works", "GPU of the second node", "in use, idle"],
      ["a1", "waits", "train-a-1", "Pending"],
      ["b1", "waits", "train-b-1", "Pending"],
      ["scheduler", "plain", "kube-scheduler", "sees four pods and no runs", "4 Insufficient nvidia.com/gpu"],
    ],
    groups: [
      ["a", "run train-a", ["a0", "a1"]],
      ["b", "run train-b", ["b0", "b1"], { labeljust: "r" }],
    ],
    rows: [["scheduler"], ["a0", "a1", "b1", "b0"], ["gpu1", "gpu2"]],
    arrows: [
      ["a0", "gpu1", "works", "holds"],
      ["b0", "gpu2", "works", "holds"],
      ["a1", "gpu2", "waits", "waits for"],
      ["b1", "gpu1", "waits", "waits for"],
      ["scheduler", "a1", "gone", "no node"],
      ["scheduler", "b1", "gone", "no node"],
    ],
  },
} satisfies Readonly<Record<string, LabPicture>>;
