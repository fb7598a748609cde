import { gpuResource, namespace, pod, type Manifest } from "../manifests";
import type { Scenario, Site } from "../scenario";

const waits = (name: string) => `Pod ${namespace}/${name} stays Pending. Find out why.`;
const describePod = `Read what the scheduler says: kubectl -n ${namespace} describe pod server`;

/** Products of NVIDIA as GPU feature discovery writes them. */
const products = ["NVIDIA-H100-80GB-HBM3", "NVIDIA-A100-SXM4-80GB", "NVIDIA-L40S"];

function absentProduct(site: Site): string {
  return products.find((product) => !site.products.includes(product)) ?? "NVIDIA-V100-SXM2-32GB";
}

const claim: Manifest = {
  ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "model-cache" } },
  spec: {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "fast-ssd",
    resources: { requests: { storage: "10Gi" } },
  },
};

/** No driver brings a class of this name. */
const deviceClassName = "shared-gpu.example.com";
const gpuClaim: Manifest = {
  ...{ apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: { name: "gpu" } },
  spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName } }] } },
};

const efa = "vpc.amazonaws.com/efa";

const rack = "example.com/rack";
const spread = {
  topologySpreadConstraints: [
    {
      ...{ maxSkew: 1, topologyKey: rack, whenUnsatisfiable: "DoNotSchedule" },
      labelSelector: { matchLabels: { app: "server" } },
    },
  ],
};

const gate = "example.com/budget-approval";

/** More than any node has. */
const tooMany = (site: Site) => site.maxGpus + 1;
const tooManyCpus = (site: Site) => Math.ceil(site.maxCpus) + 8;

/** Pods that no node can take as they are written. */
export const podScenarios: readonly Scenario[] = [
  {
    id: "selector",
    conclusion: "node-selector-mismatch",
    words: "wrong nodeSelector, missing label on the node, affinity, typo",
    symptom: waits,
    injection: (site) => ({
      objects: [
        pod("server", site.target, { spec: { nodeSelector: { "nvidia.com/gpu.product": absentProduct(site) } } }),
      ],
    }),
    hints: () => [
      describePod,
      `What does the pod ask of a node, apart from resources? kubectl -n ${namespace} get pod server -o jsonpath='{.spec.nodeSelector}'`,
      "Compare this with the labels of the nodes: kubectl get nodes -L nvidia.com/gpu.product",
    ],
    sign: "no GPU node would have all labels that the pod selects",
    cause: (site) => `The pod selects nvidia.com/gpu.product=${absentProduct(site)}, and no node has this label.`,
    repair: () => [
      "kubectl get nodes -L nvidia.com/gpu.product   # lists the products",
      `kubectl -n ${namespace} delete pod server   # then create it again with one of these; a node selector cannot change`,
    ],
  },
  {
    id: "too-many-gpus",
    conclusion: "insufficient-gpu",
    words: "asks for too many gpus, requests more gpus than a node has",
    symptom: waits,
    injection: (site) => ({ objects: [pod("server", site.target, { gpus: tooMany(site) })] }),
    hints: () => [
      describePod,
      `How many GPUs does the pod request? kubectl -n ${namespace} get pod server -o jsonpath='{.spec.containers[*].resources.limits}'`,
      `A pod gets its GPUs from one node. How many has the largest? kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'`,
    ],
    sign: "the pod would request more GPUs than any node has, used or not",
    cause: (site) =>
      `The pod requests ${tooMany(site)} ${gpuResource}, and the largest node has ${site.maxGpus}. A pod cannot use GPUs of several nodes.`,
    repair: () => [
      `kubectl -n ${namespace} delete pod server   # then create it again with a smaller limit, or add a larger node`,
    ],
  },
  {
    id: "too-many-cpus",
    conclusion: "insufficient-resource",
    words: "too much cpu or memory requested, request too high or too large",
    symptom: waits,
    injection: (site) => ({ objects: [pod("server", site.target, { cpu: String(tooManyCpus(site)) })] }),
    hints: () => [
      `${describePod}. Nodes without GPUs add a reason of their own; look for another one.`,
      "A GPU node can have free GPUs and still be too small. Which other resources does the pod request?",
      `Compare requests.cpu of the pod with what the GPU nodes have: kubectl get nodes -o custom-columns='NAME:.metadata.name,CPU:.status.allocatable.cpu'`,
    ],
    sign: "a GPU node would have free GPUs, but too little CPU or memory for the pod",
    cause: (site) =>
      `The pod requests ${tooManyCpus(site)} CPUs, and no node has more than ${Math.floor(site.maxCpus)}. Its GPU would be free.`,
    repair: () => [`kubectl -n ${namespace} delete pod server   # then create it again with a smaller request`],
  },
  {
    id: "volume",
    conclusion: "unbound-volume-claim",
    words: "pvc pending, missing volume, storage class does not exist",
    symptom: waits,
    injection: ({ target }) => ({
      objects: [
        claim,
        pod("server", target, {
          spec: { volumes: [{ name: "cache", persistentVolumeClaim: { claimName: claim.metadata.name } }] },
        }),
      ],
    }),
    hints: () => [
      describePod,
      "The reason is not about GPUs at all. What else does the pod use? Look at its Volumes.",
      `kubectl -n ${namespace} describe pvc; kubectl get storageclass`,
    ],
    sign: "kubectl get pvc would show a claim of the pod that is not Bound",
    cause: () =>
      "The PersistentVolumeClaim model-cache stays Pending: its StorageClass fast-ssd does not exist, so nothing creates a volume.",
    repair: () => [
      "kubectl get storageclass   # lists the existing ones",
      `kubectl -n ${namespace} delete pod server; kubectl -n ${namespace} delete pvc model-cache   # then create both again`,
    ],
  },
  {
    id: "device-class",
    conclusion: "resource-claim",
    words: "dra, dynamic resource allocation, device class missing, claim not allocated",
    needs: {
      text: "Kubernetes 1.34 or newer, where pods can claim devices",
      accepts: ({ hasClaims }) => hasClaims,
    },
    symptom: waits,
    injection: ({ target }) => ({
      objects: [
        gpuClaim,
        pod("server", target, {
          gpus: 0,
          container: { resources: { limits: { memory: "16Mi" }, claims: [{ name: "gpu" }] } },
          spec: { resourceClaims: [{ name: "gpu", resourceClaimName: gpuClaim.metadata.name }] },
        }),
      ],
    }),
    hints: () => [
      describePod,
      `The pod requests no ${gpuResource}. How does it ask for its GPU? kubectl -n ${namespace} get pod server -o jsonpath='{.spec.resourceClaims}'`,
      `Compare what the claim asks for with what the cluster has: kubectl -n ${namespace} describe resourceclaims; kubectl get deviceclasses,resourceslices`,
    ],
    sign: "kubectl get resourceclaims would show a claim of the pod that is not allocated",
    cause: () =>
      `The ResourceClaim gpu asks for a device of the DeviceClass ${deviceClassName}, which does not exist: no driver for Dynamic Resource Allocation that defines it is installed.`,
    repair: () => [
      "kubectl get deviceclasses   # lists the existing ones; if there are none, install a driver such as NVIDIA's",
      `kubectl -n ${namespace} delete pod server; kubectl -n ${namespace} delete resourceclaim gpu   # then create both again, or the pod with a limit of ${gpuResource}`,
    ],
  },
  {
    id: "efa",
    conclusion: "resource-not-offered",
    words: "extended resource, efa, no node has such a device",
    symptom: waits,
    injection: ({ target }) => ({ objects: [pod("server", target, { limits: { [efa]: "1" } })] }),
    hints: () => [
      describePod,
      `A GPU is free. What else does the pod request? kubectl -n ${namespace} get pod server -o jsonpath='{.spec.containers[*].resources.limits}'`,
      "A device plugin offers such a resource. Does any node list it? kubectl get nodes -o jsonpath='{.items[*].status.allocatable}'",
    ],
    sign: "the pod would request a resource that no node lists under Allocatable",
    cause: () =>
      `The pod requests one ${efa}, and no node offers it: the EFA device plugin does not run here, and no node has such an interface.`,
    repair: () => [
      `kubectl -n ${namespace} delete pod server   # then create it again without ${efa}, or use nodes with EFA and its device plugin`,
    ],
  },
  {
    id: "spread",
    conclusion: "topology-spread",
    words: "maxSkew violated, cannot be spread over zones, constraints too strict",
    symptom: waits,
    injection: ({ target }) => ({ objects: [pod("server", target, { spec: spread })] }),
    hints: () => [
      describePod,
      `Which rule of the pod do the GPU nodes not meet? kubectl -n ${namespace} get pod server -o yaml`,
      "A constraint names a topologyKey. Does any node have that label? kubectl get nodes --show-labels",
    ],
    sign: "the scheduler would name the pod topology spread constraints",
    cause: () =>
      `The pod must be spread over ${rack}, and no node has this label. With DoNotSchedule, such nodes are excluded.`,
    repair: () => [
      `kubectl label node NODE ${rack}=r1   # for each GPU node; or use whenUnsatisfiable: ScheduleAnyway`,
    ],
  },
  {
    id: "gate",
    conclusion: "not-schedulable",
    words: "scheduling gates, gated",
    symptom: waits,
    injection: ({ target }) => ({
      objects: [pod("server", target, { spec: { schedulingGates: [{ name: gate }] } })],
      appears: "gated",
    }),
    hints: () => [
      `Look for the scheduler's events: kubectl -n ${namespace} describe pod server. What does it mean that there are none?`,
      `The scheduler has not tried yet. See the condition PodScheduled: kubectl -n ${namespace} get pod server -o jsonpath='{.status.conditions}'`,
      `A field of the spec tells the scheduler to wait: kubectl -n ${namespace} get pod server -o jsonpath='{.spec.schedulingGates}'`,
    ],
    sign: "the pod would have a scheduling gate, or the scheduler would give a reason that no other conclusion covers",
    cause: () => `The scheduling gate ${gate} holds the pod back. The controller that set it has to remove it.`,
    repair: () => [
      `kubectl -n ${namespace} patch pod server --type=json -p '[{"op":"remove","path":"/spec/schedulingGates"}]'`,
    ],
  },
  {
    id: "no-limit",
    conclusion: "gpu-limit-missing",
    words: "no gpu limit, forgot the gpu limit, requests no gpu",
    symptom: (name) => `Pod ${namespace}/${name} runs on a GPU node, but its program finds no GPU. Find out why.`,
    injection: ({ target }) => ({ objects: [pod("server", target, { gpus: 0, onTarget: true })], appears: "running" }),
    hints: () => [
      "The node and its GPUs are fine, and so is the scheduler. Look at the pod itself.",
      "A container sees only the GPUs that are assigned to it. What decides how many?",
      `kubectl -n ${namespace} get pod server -o jsonpath='{.spec.containers[*].resources}'`,
    ],
    sign: `no container of the pod would have a limit for ${gpuResource}`,
    cause: () =>
      `The pod tolerates the taint of GPU nodes and runs on one, but requests no ${gpuResource}. The device plugin gives GPUs only to containers that request them.`,
    repair: () => [
      `kubectl -n ${namespace} delete pod server   # then create it again with resources: {limits: {${gpuResource}: 1}}`,
    ],
  },
];
