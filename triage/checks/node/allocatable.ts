import { countOf } from "../../../components/core/text";
import type { Finding, Found } from "../../conclusions";
import type { Step, Steps } from "../../known-causes/known-cause";
import { expectsDevicePlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import {
  advertisesGpus,
  gpuAdvertisement,
  gpuResource,
  hasHostPlugin,
  hostPluginOf,
  type GpuAdvertisement,
} from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { podKey } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { ageOf, createdAt, isNew } from "../../snapshot/time";
import {
  allocatableEvidence,
  evidenceOf,
  gpuAmounts,
  nodeEvidence,
  replaceNode,
  scopeOf,
  scopeOfNode,
  scopeOfNodes,
} from "../finding-parts";
import { groupSteps, scaleUpUnderWay } from "./scale-up";
import { hasAutoscaler, waitingGpuPods } from "./scale-up-signs";

const allocatableField = `status.allocatable[${gpuResource}]`;

/** What the GPU nodes advertise to the scheduler. */
export function allocatableFindings(nodes: readonly Node[], snapshot: ClusterSnapshot): Finding[] {
  const by = (state: GpuAdvertisement) => nodes.filter((node) => gpuAdvertisement(node) === state);
  return [
    ...by("zero").map(zeroGpus),
    ...by("missing").map((node) => missingGpus(node, snapshot)),
    ...nodes.flatMap(fewerGpus),
    ...nodes.map((node) => hostPluginSilent(node, snapshot)),
    zeroOnNewNodes(nodes, snapshot),
  ].flat();
}

/** One finding per node; findings that are alike are merged into one conclusion. */
function zeroGpus(node: Node): Finding {
  const why =
    numberOf(node.status.capacity[gpuResource]) > 0
      ? "although its capacity is above 0: the device plugin marked every GPU unhealthy, or it stopped less than 5 minutes ago."
      : "because a device plugin was registered and stopped.";
  return {
    id: "gpu-allocatable-zero",
    ...scopeOfNode(node),
    what: `The node advertises 0 ${gpuResource} ${why}`,
    evidence: [gpuAmounts(node)],
    next: [
      "Check that the driver works: run nvidia-smi in a pod that has the GPU devices. In a chroot of a debug pod it fails on healthy nodes, too => {smi} -L",
      "Check that the plugin has registered: nvidia-gpu.sock exists next to kubelet.sock => kubectl debug node/{node} -it --profile=sysadmin --image=public.ecr.aws/amazonlinux/amazonlinux:2023 -- ls -la /host/var/lib/kubelet/device-plugins/",
    ],
  };
}

function missingGpus(node: Node, snapshot: ClusterSnapshot): Finding {
  const { metadata } = node;
  const isStarting = isNew(node, snapshot.now);
  const wait =
    isStarting && expectsDevicePlugin(snapshot)
      ? " The node is new; the driver and the device plugin take some minutes to start."
      : "";
  return {
    id: "gpu-allocatable-missing",
    ...scopeOfNode(node),
    level: isStarting ? "notice" : "problem",
    atMost: isStarting ? "possible" : undefined,
    what: `The node advertises no ${gpuResource}: no device plugin has registered since the node joined.${wait}`,
    evidence: [nodeEvidence(node, allocatableField, "missing", metadata.creationTimestamp)],
    next: ["Show the pods on the node => kubectl get pods -A -o wide --field-selector spec.nodeName={node}"],
  };
}

function fewerGpus(node: Node): Found {
  const [allocatable, capacity] = [node.status.allocatable, node.status.capacity].map((one) =>
    numberOf(one[gpuResource]),
  );
  if (allocatable === undefined || capacity === undefined || allocatable === 0 || allocatable >= capacity) return [];
  return {
    id: "gpu-allocatable-low",
    ...scopeOfNode(node),
    atMost: "likely",
    what: `The node has ${capacity} ${gpuResource} but advertises ${allocatable}: the device plugin marked the others unhealthy.`,
    evidence: [gpuAmounts(node)],
    next: "Show which GPU is unhealthy and why: the plugin logs the XID => kubectl -n {operator} logs -l app=nvidia-device-plugin-daemonset --tail=100 --prefix | grep -i -E 'unhealthy|xid'",
  };
}

/** Older nodes advertise GPUs and newer ones do not: a plugin that starts before the node has its labels stays empty. */
function zeroOnNewNodes(nodes: readonly Node[], { now }: ClusterSnapshot): Found {
  const without = nodes.filter((node) => !advertisesGpus(node) && !isNew(node, now));
  const withGpus = nodes.filter(advertisesGpus);
  if (without.length === 0 || withGpus.length === 0) return [];
  if (Math.min(...without.map(createdAt)) <= Math.max(...withGpus.map(createdAt))) return [];
  return {
    id: "gpu-zero-on-new-nodes",
    ...scopeOfNodes(without.map(({ metadata }) => metadata.name)),
    atMost: "possible",
    what: "Only the newest nodes advertise no GPUs. If Karpenter labels nodes late, device plugins from v0.18.2 on can start with an empty configuration and keep it.",
    evidence: [...without.slice(0, 3), ...withGpus.slice(0, 2)].map((node) => {
      const value = `${ageOf(node, now)}, ${node.status.allocatable[gpuResource] ?? "missing"}`;
      return nodeEvidence(node, `age, ${allocatableField}`, value);
    }),
    next: "Restart the plugin on one of the nodes, and check whether the node then advertises its GPUs =!> kubectl -n {operator} delete pod -l app=nvidia-device-plugin-daemonset --field-selector spec.nodeName={node}",
  };
}

const service = "nvidia-k8s-device-plugin";

/** A node that runs the device plugin as a service of the host and advertises no GPUs. No DaemonSet can be at fault. */
function hostPluginSilent(node: Node, { gpuNodes, now }: ClusterSnapshot): Found {
  const host = hostPluginOf(node);
  if (host === undefined || advertisesGpus(node) || isNew(node, now)) return [];
  const { osImage = "not read" } = node.status.nodeInfo;
  const alike = gpuNodes.filter((one) => hostPluginOf(one) === host && advertisesGpus(one));
  const others = alike.length === 0 ? "" : " Other nodes of this kind advertise theirs.";
  return {
    id: "host-plugin-without-gpus",
    ...scopeOfNode(node),
    atMost: hasHostPlugin(node) ? "likely" : undefined,
    what: hasHostPlugin(node)
      ? `The node advertises no GPUs. ${host} runs the driver and the device plugin as a service of the host (${service}); there is no DaemonSet, and the GPU Operator is not needed. The service has not registered with the kubelet.${others}`
      : `The image of the node (${osImage}) is a variant of Bottlerocket without NVIDIA's driver and device plugin. Use a variant whose name ends with -nvidia.`,
    evidence: [
      allocatableEvidence(node),
      nodeEvidence(node, "status.nodeInfo.osImage", osImage),
      ...alike.slice(0, 2).map((one) => allocatableEvidence(one)),
    ],
    next: hasHostPlugin(node) ? [showService, ...replaceNode(node)] : [showVariants],
  };
}

const showService: Step = `Show the service and its log => {shell}sudo systemctl status ${service}; sudo journalctl -u ${service} -n 60`;
const showVariants =
  "Show the images of the nodes. Change the AMI type of the group, e.g. to BOTTLEROCKET_x86_64_NVIDIA => kubectl get nodes -o wide -L eks.amazonaws.com/nodegroup";

/** A cluster without GPU nodes. Between two lab sessions this is the normal state. */
export function noGpuNodes(snapshot: ClusterSnapshot): Found {
  const { gpuNodes, wasRead, objects } = snapshot;
  if (gpuNodes.length > 0 || !wasRead("nodes")) return [];
  const waiting = waitingGpuPods(snapshot);
  const isWanted = waiting.length > 0;
  const pods = `${countOf(waiting.length, "pod")} ${waiting.length === 1 ? "waits" : "wait"}`;
  const underWay = scaleUpUnderWay(snapshot);
  const hasTried = underWay !== undefined || (isWanted && hasAutoscaler(waiting, snapshot));
  const advice = underWay
    ? `${underWay.text}. A new node takes minutes.`
    : hasTried
      ? ""
      : "Start a session to add GPU nodes.";
  return {
    id: "no-gpu-nodes",
    ...scopeOf("cluster"),
    pods: waiting.map(podKey),
    level: isWanted ? "problem" : "notice",
    what: isWanted
      ? `The cluster has no GPU node, and ${pods} for a GPU. ${advice}`.trim()
      : "The cluster has no GPU node. This is normal between lab sessions: GPU nodes run only during a session because they cost money.",
    evidence: [
      evidenceOf(
        "nodes",
        "instance types, labels, taints and capacity",
        `none of ${objects.nodes.length} nodes has a GPU`,
      ),
    ],
    next: hasTried ? groupSteps(underWay?.group) : startSession,
  };
}

const startSession: Steps = [
  "Start a session. GPU nodes cost money while they run =!> npx eks-gpu-lab gpu up",
  "Or scale the node group without Pulumi =!> aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP --scaling-config minSize=0,maxSize=2,desiredSize=1",
  "If you have started a session already, show why no instance starts => aws autoscaling describe-scaling-activities --max-items 5 --query 'Activities[].[AutoScalingGroupName,StartTime,StatusCode,StatusMessage]' --output table",
];
