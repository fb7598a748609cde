import type { LabPicture } from "../lab-pictures";

export const ncclBlock: LabPicture = {
  title: "blocked paths and open paths",
  boxes: [
    ["api", "works", "EKS control plane", "API, webhooks, logs and exec"],
    ["first", "misleads", "GPU node 1: Ready", "pod all-reduce-0: Running, rank 0"],
    ["second", "misleads", "GPU node 2: Ready", "pod all-reduce-1: Running, rank 1"],
    ["dns", "works", "CoreDNS", "names are resolved"],
    ["metrics", "gone", "metrics-server, Prometheus", "kubectl top, scraping across nodes"],
    ["internet", "works", "NAT gateway", "images are pulled"],
  ],
  groups: [
    ["gpu", "GPU nodes, one zone", ["first", "second"]],
    ["system", "system nodes", ["dns", "metrics"], { labelloc: "b" }],
  ],
  rows: [["api"], ["first", "second"], ["dns", "metrics", "internet"]],
  arrows: [
    ["api", "first", "works", "443, 10250 and webhook ports", { dir: "both", arrowtail: "normal" }],
    ["api", "second", "works", "", { dir: "both", arrowtail: "normal" }],
    [
      "first",
      "second",
      "gone",
      "TCP 1025 to 65535: rendezvous 29500,\nthen other ports of NCCL",
      { dir: "both", arrowtail: "tee" },
    ],
    ["first", "dns", "works", "53, TCP and UDP"],
    ["second", "dns", "works", ""],
    ["second", "metrics", "gone", "10250, 9400 …", { back: true }],
    ["second", "internet", "works", "all egress"],
  ],
  spread: 0.7,
};
