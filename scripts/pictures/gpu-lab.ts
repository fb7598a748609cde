import type { LabPicture } from "../lab-pictures";

export const gpuLab: LabPicture = {
  title: "GPU nodes run only during a session",
  boxes: [
    ["none", "plain", "nothing", "0 USD"],
    ["rest", "works", "at rest: no GPU node", "0.28 USD per hour"],
    ["nodes", "waits", "GPU nodes up, no GPU advertised", "1.25 USD more per hour and node"],
    ["session", "works", "session: 1 nvidia.com/gpu per node", "1.25 USD more per hour and node"],
    ["down", "works", "$(pulumi stack output scaleDown)", "this command stops the GPU cost"],
    ["forgotten", "gone", "forgotten: two nodes for a weekend", "150 USD in 60 hours"],
  ],
  rows: [
    ["none", "rest", "nodes", "session"],
    ["down", "forgotten"],
  ],
  arrows: [
    ["none", "rest", "plain", "up 20 min\ndestroy 15 min", { dir: "both", arrowtail: "normal" }],
    ["rest", "nodes", "plain", "scaleUp\n4 min"],
    ["nodes", "session", "plain", "operator\n5 min"],
    ["session", "down", "works", "end of the session"],
    ["down", "rest", "works", "", { back: true }],
    ["session", "forgotten", "gone", "not scaled down"],
  ],
};
