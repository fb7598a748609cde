import type { LabPicture } from "../lab-pictures";

export const gpuRollout: LabPicture = {
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
};
