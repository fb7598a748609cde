import type { LabPicture } from "../lab-pictures";

export const gpuLab: LabPicture = {
  title: "a session: GPU nodes come for it, and go after it",
  boxes: [
    ["none", "plain", "nothing", "0 USD"],
    ["rest", "works", "at rest: no GPU node", "0.28 USD an hour"],
    ["nodes", "waits", "GPU nodes up, no GPU offered", "1.25 USD an hour more for each"],
    ["session", "works", "session: nvidia.com/gpu 1 each", "1.25 USD an hour more for each"],
    ["down", "works", "$(pulumi stack output scaleDown)", "the command that ends the GPU cost"],
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
    ["session", "forgotten", "gone", "nobody does it"],
  ],
};
