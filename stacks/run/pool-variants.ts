import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { core } from "@pulumi/kubernetes/types/input";
import type { GpuDeploymentArgs } from "../../components";
import type { Variant } from "./lab";

const pod = "spec.template.spec";
const limits = `${pod}.containers[0].resources.limits`;
const update = (...paths: readonly string[]) => `update Deployment render: ${[...paths].sort().join(", ")}`;

/** As if its agent did not remove it. */
function staysTainted({ spec }: CustomResourceArgs & { spec?: { template: { spec: object } } }): void {
  const taint = { key: "example.com/setup", effect: "NoSchedule" };
  Object.assign(spec?.template.spec ?? {}, { startupTaints: [taint] });
}

/** The forms of the fault of no-node-comes: why Karpenter does not start a node that the pod can use. */
export const poolVariants = {
  limit: { name: "more pods than the limit allows", changes: [update("spec.replicas")] },
  taint: { name: "a pod that does not tolerate the team's taint", changes: [update(`${pod}.tolerations[1]`)] },
  zone: { name: "a zone of another region", changes: [update(`${pod}.nodeSelector`)] },
  instanceType: {
    name: "a pod that needs more CPUs than the instance type has",
    changes: [update(`${pod}.containers[0].resources.requests.cpu`)],
  },
  startupTaint: {
    name: "a start-up taint that stays",
    changes: ["update NodePool no-node-comes-gpu: spec.template.spec.startupTaints"],
    environment: { transform: { gpuNodePool: { nodePool: staysTainted } } },
    notLocal: "Fake nodes never start, and Karpenter does not run there.",
  },
  resourceClaim: {
    name: "a pod that requests its GPU with a ResourceClaim",
    changes: [
      "create DeviceClass gpu-class",
      "create ResourceClaimTemplate render-gpu",
      update(`${limits}["nvidia.com/gpu"]`, `${pod}.containers[0].resources.claims`, `${pod}.resourceClaims`),
    ],
    // https://docs.aws.amazon.com/eks/latest/userguide/device-management.html
    refusedByAutoMode:
      "EKS Auto Mode includes NVIDIA's DRA driver from Kubernetes 1.36 on, and starts a node for the pod.",
  },
  timeSlicing: {
    name: "pods that request shares of a GPU",
    changes: [update("spec.replicas", `${limits}["nvidia.com/gpu"]`, `${limits}["nvidia.com/gpu.shared"]`)],
  },
} as const satisfies Readonly<Record<string, Variant>>;

export type PoolVariant = keyof typeof poolVariants;

type PodSpec = Pick<core.v1.PodSpec, "nodeSelector" | "resourceClaims"> & { readonly containers: core.v1.Container[] };
type Resources = core.v1.ResourceRequirements & { readonly limits: Record<string, string> };

function ofPod(change: (spec: PodSpec, resources: Resources) => void): GpuDeploymentArgs {
  const deployment = ({ spec }: DeploymentArgs) => {
    const { template } = spec as { readonly template: { readonly spec: PodSpec } };
    change(template.spec, template.spec.containers[0]?.resources as Resources);
  };
  return { transform: { deployment } };
}

/** What each form changes of the Deployment. */
export const faultyPods: Readonly<Record<PoolVariant, GpuDeploymentArgs>> = {
  limit: { replicas: 2 },
  taint: { taints: [] },
  // EKS does not run in this zone.
  zone: ofPod((spec) => (spec.nodeSelector = { "topology.kubernetes.io/zone": "us-east-1e" })),
  // A g5.xlarge has 4, and the kubelet keeps a part of one.
  instanceType: { cpu: "4" },
  startupTaint: {},
  resourceClaim: ofPod((spec, resources) => {
    delete resources.limits["nvidia.com/gpu"];
    spec.resourceClaims = [{ name: "gpu", resourceClaimTemplateName: "render-gpu" }];
    resources.claims = [{ name: "gpu" }];
  }),
  timeSlicing: {
    replicas: 4,
    ...ofPod((_, { limits }) => {
      delete limits["nvidia.com/gpu"];
      limits["nvidia.com/gpu.shared"] = "1";
    }),
  },
};
