import { countOf, patchCommand } from "../../components/core/text";
import type { Entries, Scope, Steps } from "./entry";
import { devicePluginName } from "../snapshot/cluster-snapshot";
import type { Meta } from "../snapshot/objects/resources";
import { kubectlName } from "../snapshot/pods";
import { listNames } from "../texts";
import { describePod, showResources } from "./common-steps";
import { claimText, concernsDriver, pullText } from "./pod-causes";

/** The pod gets no node, or none of the images that it needs. */
export const waitingPods = {
  "insufficient-gpu": {
    meaning: "no node has enough free GPUs of the requested resource",
    what: ({ amount, resource, why }: { amount: number; resource: string; why: string }) =>
      `The scheduler found no node with ${amount} free ${resource}. ${why}`,
    next: ({ resource }: { resource: string }) =>
      `Compare what each node advertises with its capacity. No value means that no plugin has registered; 0 means that it stopped => kubectl get nodes -o custom-columns='NAME:.metadata.name,${typeColumn},ALLOCATABLE:.status.allocatable.${columnOf(resource)},CAPACITY:.status.capacity.${columnOf(resource)}'`,
  },
  "insufficient-resource": {
    meaning: "the nodes have too little CPU, memory or other resources left",
    what: ({ count, resource }: { count: number | undefined; resource: string }) => {
      const subject =
        count === undefined ? "The nodes have" : `${countOf(count, "node")} ${count === 1 ? "has" : "have"}`;
      return `${subject} too little ${resource} left for the pod's request.`;
    },
    next: `Compare the request of the pod with the allocated resources of the nodes => kubectl describe nodes | grep -A 8 'Allocated resources'; ${showResources}`,
  },
  "resource-not-offered": {
    meaning: "no node offers an extended resource that the pod requests, such as `vpc.amazonaws.com/efa`",
    what: ({ resource }: { resource: string }) =>
      `No node offers ${resource}, which the pod requests. ${
        resource === "vpc.amazonaws.com/efa"
          ? "The EFA device plugin does not run, or no node has an EFA interface."
          : "The device plugin of this resource does not run, or no node has such a device."
      }`,
    next: ({ resource }: { resource: string }) => [
      `Show what the nodes offer. Remove the request, or install the device plugin on nodes that have the device => kubectl get nodes -o custom-columns='NAME:.metadata.name,${typeColumn},OFFERS:.status.allocatable.${columnOf(resource)}'`,
      "Show the device plugins of the cluster => kubectl get daemonsets -A | grep -i -E 'device-plugin|efa'",
    ],
  },
  "untolerated-taint": {
    meaning: "a taint repels the pod from every node that it could use; lifecycle taints do not count",
    what: ({ taints }: { taints: readonly string[] }) =>
      `The pod does not tolerate the taint ${listNames(taints)}, which repels it from every node that it could use.`,
    next: ({ tolerations }: { tolerations: readonly string[] }) =>
      `Show the tolerations of the pod. Add to its spec: tolerations: [${tolerations.join(", ")}] => kubectl get {pod} -o jsonpath='{.spec.tolerations}'`,
  },
  "startup-taint-stays": {
    meaning: "a start-up taint of a NodePool stays on the node that started for the pod",
    what: ({ taints, nodes }: Scope & { taints: readonly string[] }) =>
      `A node started for the pod, but it still has the start-up taint ${listNames(taints)}: ${nodes.join(", ")}. Karpenter waits until an agent on the node removes it, and does not start another node.`,
    next: [
      "Find the agent that removes the taint, and why it does not run on the node => kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
      "Show how long the NodeClaim has been waiting. Remove the taint from the NodePool if its agent is not installed => kubectl describe nodeclaims",
    ],
  },
  "node-selector-mismatch": {
    meaning: "no node has the labels that the pod selects",
    what: ({ isForGpu, selector }: { isForGpu: boolean; selector: readonly string[] }) =>
      `No ${isForGpu ? "GPU node" : "node"} has the labels that the pod selects${selector.length > 0 ? `: ${listNames(selector)}` : ""}.`,
    next: ({ labels }: { labels: readonly string[] }) =>
      `Show these labels of the nodes => kubectl get nodes -L ${labels.length > 0 ? labels.join(",") : "nvidia.com/gpu.product"}`,
  },
  "unbound-volume-claim": {
    meaning: "a PersistentVolumeClaim of the pod is not bound",
    what: ({ text }: { text: string }) => `The pod waits for a volume: ${text}.`,
    next: ({ claims }: { claims: readonly string[] }) => [
      `Show the events of the claim, which name what its StorageClass lacks. On EKS, this is often the EBS CSI driver => ${["kubectl -n {namespace} describe pvc", ...claims].join(" ")}`,
      "Check for a default StorageClass and its driver => kubectl get storageclass,csidriver",
    ],
  },
  "resource-claim": {
    meaning: "a ResourceClaim of the pod (DRA) does not exist or cannot be allocated",
    what: ({ message }: { message: string }) => `The pod waits for a ResourceClaim: ${message}. ${claimText(message)}`,
    next: ({ message }: { message: string }) => [
      "Show the claims of the namespace, their requests and their allocation => kubectl -n {namespace} describe resourceclaims",
      concernsDriver(message)
        ? "Check that the pods of the DRA driver exist on the GPU nodes and are ready => kubectl get pods -A -o wide | grep -E 'dra-|dra_|resource-driver'"
        : undefined,
      "Show the devices that DRA drivers offer, and their classes => kubectl get resourceslices,deviceclasses",
    ],
  },
  "topology-spread": {
    meaning: "the topology spread constraints exclude every node",
    what: "The topology spread constraints of the pod exclude every node: another pod would exceed the allowed skew.",
    next: "Show the constraints. Then add a node in the required topology domain, or set whenUnsatisfiable: ScheduleAnyway => kubectl get {pod} -o jsonpath='{.spec.topologySpreadConstraints}'",
  },
  "image-pull": {
    meaning: "the image cannot be pulled",
    what: ({ image, messages }: { image: string; messages: readonly string[] }) =>
      `The image ${image} cannot be pulled. ${pullText(messages)}`,
    next: "Show the response of the registry => kubectl describe {pod} | tail -20",
  },
  "not-schedulable": {
    meaning:
      "the scheduler gives another reason, a scheduling gate keeps the pod Pending, or the data contains no reason",
    what: waitText,
    next: ({ reason, isForGpu }: Wait) =>
      reason !== undefined
        ? "Show all reasons of the scheduler => kubectl describe {pod}"
        : isForGpu === true
          ? "Show the events of the pod and the name of its scheduler => kubectl describe {pod}"
          : describePod,
  },
  "rollout-deadlock": {
    meaning: "the new pod waits for the GPU of the old pod, which waits for the new pod to be ready",
    what: ({ deployment, old, nodes, limits }: Scope & { deployment: Named; old: string; limits: string }) =>
      `The rollout of Deployment ${deployment.name} is deadlocked. The new pod waits for the GPU that the old pod ${old} ` +
      `holds on ${nodes.join()}. With ${limits}, the old pod stays until the new pod is ready. Both have the same ` +
      "priority, so the scheduler evicts neither.",
    next: ({ deployment: { name, namespace = "default" } }: { deployment: Named }): Steps => {
      const patch = (strategy: object) => patchCommand(`deployment/${name} -n ${namespace}`, { spec: { strategy } });
      const rolling = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
      return [
        `Stop the old pod first. The service pauses while the new pod starts. Make the same change in the program or manifest =!> ${patch(rolling)}`,
        `Or replace all pods at once =!> ${patch({ type: "Recreate", rollingUpdate: null })}`,
        "Or find another node with the same GPU, and select nodes by product rather than by host name => kubectl get nodes -L nvidia.com/gpu.product,kubernetes.io/hostname",
        `Or share the GPU between pods by time slicing (gpuOperator.timeSlicing in a lab). Show what the nodes advertise now => kubectl get daemonset -A | grep ${devicePluginName}; kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'`,
        "Or give the new revision a higher PriorityClass than the old one, so that it evicts the old pod => kubectl get priorityclasses",
      ];
    },
  },
  "gang-deadlock": {
    meaning: "two or more runs each hold some of their GPUs, and wait for GPUs that the others hold",
    // Nothing in the API says that the pods of a run need each other.
    atMost: "likely",
    what: ({ names, resource }: Run) =>
      `${listNames(names)} are deadlocked if their pods work only together. Each of these runs holds a part of the ` +
      `${resource} that it requests and waits for the rest. Together they hold enough for one of them. Kubernetes places ` +
      "pods one by one, and no run releases what it holds.",
    next: ({ holder, run: { kind, metadata } }: Run) => [
      `Check that the running pods wait for the others => kubectl -n {namespace} logs ${holder.name} --all-containers --tail=20`,
      kind in pauses
        ? `Stop this run, and start it again when another run has finished =!> ${patchCommand(`${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace}`, { spec: pauses[kind] })}`
        : undefined,
      "Start the pods of a run only when all of them have room, with a queue such as Kueue. Check whether the cluster has one => kubectl api-resources | grep -E 'kueue|podgroups'",
    ],
  },
  "waits-for-quota": {
    meaning: "Kueue holds the pods of a run until its queue has enough quota for all of them",
    what: ({ isTooLarge }: { isTooLarge: boolean }) =>
      isTooLarge
        ? "Kueue holds all pods of the run forever: the run requests more than the whole quota of its queue."
        : "Kueue holds all pods of the run until its queue has enough quota for all of them. Until then, the run uses no GPU.",
    next: ({ isTooLarge }: { isTooLarge: boolean }) => [
      `Show what Kueue says about the runs of the namespace => kubectl -n {namespace} get workloads -o custom-columns='RUN:.metadata.name,QUEUE:.spec.queueName,SAYS:.status.conditions[?(@.type=="QuotaReserved")].message'`,
      isTooLarge
        ? "Give the run fewer pods, or raise the quota to the capacity of the nodes => kubectl describe clusterqueues"
        : "Compare the quota with what the admitted runs use => kubectl describe clusterqueues",
    ],
  },
  "gpus-in-use": {
    meaning: "all GPUs that the pod could use are allocated; the evidence names the pods",
    what: ({ nodes, resource, amount, holders }: Scope & Use) => {
      const which =
        amount === undefined
          ? `Every ${resource} that the pod may use is allocated`
          : `No node has ${amount} free ${resource}: the others are allocated`;
      return `${which}, on ${countOf(nodes.length, "node")}, to ${listNames(holders)}.`;
    },
    next: ({ hasAutoscaler }: { hasAutoscaler: boolean }) => [
      "Show the pods of the node => kubectl describe node {node} | sed -n '/Non-terminated/,/Allocated/p'",
      hasAutoscaler ? undefined : "In a lab, add a GPU node, which costs money =!> npx eks-gpu-lab gpu up",
    ],
  },
  "terminating-pod-holds-gpu": {
    meaning: "a pod that is being deleted still holds the GPU that the pod waits for",
    what: ({ holder: { namespace = "default", name }, nodes: [node = ""] }: Scope & { holder: Named }) =>
      `The GPU that the pod waits for is held by pod ${namespace}/${name}, which is being deleted but still exists. A finalizer, a process that does not end or the container runtime of ${node} keeps the pod.`,
    next: ({ holder }: { holder: Named }) => [
      `Show the finalizers of the pod, and the state of its containers => kubectl get ${kubectlName("pod", holder)} -o jsonpath='{.metadata.finalizers}{"\\n"}{.status.containerStatuses[*].state}{"\\n"}'`,
      "Check the node: a kubelet or a runtime that does not respond cannot stop the pod => npx eks-gpu-lab triage node {node}",
    ],
  },
} satisfies Entries;

/** Why no node has enough free GPUs. */
export const shortages = {
  unread: "The nodes could not be read.",
  noGpuNode: "The cluster has no GPU node.",
  freeNow: "A node has enough free GPUs now. The scheduler retries within minutes.",
  allocated: "All GPUs that the pod may use are allocated.",
  joining: (nodes: readonly string[]) =>
    `These nodes are joining: ${listNames(nodes)}. A new node takes minutes to become Ready and advertise its resources`,
  closed: (nodes: readonly string[]) =>
    nodes.length > 0
      ? `The GPU nodes that match the pod accept no pods now: ${listNames(nodes)}.`
      : "The node selector or the tolerations of the pod exclude every GPU node.",
  notAdvertised: (others: readonly string[]) =>
    `The GPU nodes that the pod may use do not advertise it.${others.length > 0 ? ` They advertise ${listNames(others)}; request that resource instead.` : ""}`,
  tooSmall: (largest: number) =>
    `The largest node that the pod may use advertises ${largest}, and a pod cannot use GPUs of several nodes.`,
};

type Named = Pick<Meta, "name" | "namespace">;

/** Runs that are deadlocked. `run` is the one whose pod was asked about. */
interface Run {
  readonly names: readonly string[];
  readonly resource: string;
  readonly holder: Named;
  readonly run: { readonly kind: string; readonly metadata: Named };
}

/** What ends the pods of a run, and keeps the run. */
const pauses: Readonly<Record<string, object>> = { StatefulSet: { replicas: 0 }, Job: { suspend: true } };

const typeColumn = "TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type";

/** A resource as the path of a column. */
function columnOf(resource: string): string {
  return resource.replace(/\./g, "\\.");
}

/** The pods that use a resource, and the amount that the pod needs, if some of the resource is free. */
interface Use {
  readonly resource: string;
  readonly amount?: number | undefined;
  readonly holders: readonly string[];
}

/** What keeps a pod from a node: a reason of the scheduler, scheduling gates, or what another scheduler says. */
interface Wait {
  readonly reason?: string;
  readonly gates?: string;
  readonly said?: string | undefined;
  readonly isForGpu?: boolean;
}

/** How schedulers for batch jobs (Volcano, Coscheduling, YuniKorn) say that the pods of a group start only together. */
const gangText = /gang|pod ?group|minAvailable|minMember/i;

function waitText({ reason, gates = "", said }: Wait): string {
  if (reason !== undefined) return `The scheduler finds no node for the pod: ${reason}.`;
  if (gates !== "") {
    return `The scheduling gate ${gates} keeps the pod Pending. The controller that set the gate must remove it.`;
  }
  if (said === undefined) return "The pod is Pending, and the data contains no reason from the scheduler.";
  const gang = " It starts the pods of a group only together: the cluster must have room for all of them at once.";
  return `The scheduler keeps the pod Pending: ${said}.${gangText.test(said) ? gang : ""}`;
}
