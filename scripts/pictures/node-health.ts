import type { LabPicture } from "../lab-pictures";

export const nodeHealth: LabPicture = {
  title: "EKS replaces a node whose GPU is healthy",
  boxes: [
    ["job", "plain", "Job dcgm-fault", "dcgmi test --inject -f 319 -v 1"],
    ["engine", "plain", "DCGM engine of dcgm-server", "port 5555: one double-bit error"],
    ["agent", "plain", "node monitoring agent", "reads only this engine"],
    ["gpu", "works", "GPU and driver", "nothing is broken"],
    ["probe", "works", "Pod gpu-probe", "holds the GPU and keeps running"],
    ["ready", "misleads", "Ready: True", "the scheduler still places pods"],
    ["condition", "gone", "AcceleratedHardwareReady: False", "reason NvidiaDoubleBitError"],
    ["repair", "plain", "EKS node repair", "one node at a time"],
    ["drain", "gone", "cordon and drain", "gpu-probe stops and is not created again"],
    ["fresh", "works", "a new node", "GPU conditions True"],
  ],
  groups: [
    ["node", "GPU node", ["gpu", "probe", "engine", "agent"]],
    ["conditions", "its conditions", ["ready", "condition"]],
    ["eks", "node group", ["repair", "drain", "fresh"]],
  ],
  rows: [["job"], ["gpu", "probe", "engine", "agent"], ["ready", "condition"], ["fresh", "drain", "repair"]],
  arrows: [
    ["job", "engine", "plain", "1 writes"],
    ["engine", "agent", "plain", "2 reports"],
    ["agent", "condition", "plain", "3 sets, within a minute"],
    ["condition", "repair", "plain", "4 after 10 minutes"],
    ["repair", "drain", "plain", "5", { back: true }],
    ["drain", "fresh", "plain", "6", { back: true }],
    ["probe", "ready", "plain", "", { style: "invis" }],
  ],
};
