import type { LabPicture } from "../lab-pictures";

export const devicePlugin: LabPicture = {
  title: "the operator removes its device plugin and still reports ready",
  boxes: [
    ["policy", "misleads", "ClusterPolicy", "spec.devicePlugin.enabled: false", "status.state: ready"],
    ["operator", "works", "gpu-operator", "applies the policy"],
    ["plugin", "gone", "DaemonSet of the device plugin", "deleted, not scaled to 0/0"],
    ["socket", "gone", "nvidia-gpu.sock", "in /var/lib/kubelet/device-plugins"],
    ["kubelet", "works", "kubelet", "keeps the resource nvidia.com/gpu"],
    ["offer", "misleads", "Node: Ready", "allocatable nvidia.com/gpu: 0", "the resource stays: absent() never fires"],
    ["driver", "works", "driver and GPU", "the exporter still reports the A10G"],
    ["scheduler", "works", "kube-scheduler", "0/4 nodes are available:", "4 Insufficient nvidia.com/gpu"],
    ["pod", "waits", "Pod of the CronJob gpu-probe", "Pending, and the only one"],
  ],
  groups: [
    ["control", "GPU Operator", ["policy", "operator", "plugin"]],
    ["node", "each GPU node", ["driver", "offer", "kubelet", "socket"]],
    ["ask", "scheduling", ["scheduler", "pod"]],
  ],
  rows: [
    ["policy", "operator", "plugin"],
    ["driver", "offer", "kubelet", "socket"],
    ["scheduler", "pod"],
  ],
  arrows: [
    ["policy", "operator", "plain", "1 reads"],
    ["operator", "plugin", "gone", "2 deletes"],
    ["plugin", "socket", "gone", "3 its pods stop"],
    ["socket", "kubelet", "gone", "4 no plugin", { back: true }],
    ["kubelet", "offer", "plain", "5 counts 0", { back: true }],
    ["offer", "scheduler", "plain", "6 no GPU advertised"],
    ["scheduler", "pod", "plain", "7 no node"],
  ],
};
