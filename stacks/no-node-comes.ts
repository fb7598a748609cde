import { DeviceClass } from "@pulumi/kubernetes/resource/v1/deviceClass";
import { ResourceClaimTemplate } from "@pulumi/kubernetes/resource/v1/resourceClaimTemplate";
import { GpuDeployment } from "../components";
import { operatorForWaitingPods, type Lab, type LabPlace } from "./run/lab";
import { faultyPods, poolVariants, type PoolVariant } from "./run/pool-variants";

/** Name of NVIDIA's DRA driver, and of its DeviceClass. */
const driver = "gpu.nvidia.com";

/** Karpenter runs, a pod needs a GPU, and Karpenter does not start a node that the pod can use. */
export const noNodeComes: Lab = {
  question: "Why does no node start for a pod that needs a GPU although Karpenter runs and its NodePool is ready?",
  hypothesis:
    "Karpenter starts a node only if a NodePool fits the pod; the reason is in an event of the pod or in the NodeClaim, while the pod itself stays Pending and nothing else fails",
  watch: [
    "kubectl get pods -n no-node-comes -o wide",
    "kubectl get nodeclaims",
    "kubectl get events -n no-node-comes --field-selector reason=FailedScheduling",
  ],
  restore: "pulumi config set fault off && pulumi up",
  local: { fake: poolVariants.limit.changes },
  clusterName: "no-node",
  minutes: 45,
  gpuNodes: 1,
  environment: {
    gpuOperator: operatorForWaitingPods,
    monitoring: { enabled: true },
    gpuNodes: {
      provisioner: "karpenter",
      maxSize: 1,
      taints: [{ key: "team", value: "render", effect: "NO_SCHEDULE" }],
    },
  },
  fault: { ...poolVariants.limit, variants: poolVariants },
  add(place) {
    const { isFaulty, faultVariant = "limit", namespace, taints, options, cluster } = place;
    const variant = isFaulty ? (faultVariant as PoolVariant) : undefined;
    if (variant === "resourceClaim") makeClaims(place);
    const args = { namespace, taints, cluster, rollout: "recreate" as const, ...(variant && faultyPods[variant]) };
    return { render: new GpuDeployment("render", args, options).commands };
  },
};

/** What the DRA driver brings, and what the pod claims of it. */
function makeClaims({ namespace, options }: LabPlace): void {
  const expression = `device.driver == "${driver}"`;
  new DeviceClass("gpu-class", { metadata: { name: driver }, spec: { selectors: [{ cel: { expression } }] } }, options);
  const requests = [{ name: "gpu", exactly: { deviceClassName: driver } }];
  const metadata = { name: "render-gpu", namespace };
  new ResourceClaimTemplate("render-gpu", { metadata, spec: { spec: { devices: { requests } } } }, options);
}
