import type { Pack } from "../../core/policy-config";
import { gpuOperatorChartPinned } from "../../rules/operator/gpu-operator-chart-pinned";
import { nodegroupScalingOrder } from "../../rules/scaling/nodegroup-scaling-order";
import { version } from "./package.json";

/** The rules for a lab, each with its level. */
export const lab: Pack = {
  name: "eks-gpu-lab",
  version,
  description: "Rules for GPU labs on Amazon EKS: what would fail late, cost money unseen, or change under your hands.",
  rules: [
    { rule: nodegroupScalingOrder, level: "mandatory" },
    { rule: gpuOperatorChartPinned, level: "mandatory" },
  ],
};
