import { gpuResource, namespace, pod } from "../manifests";
import type { Scenario } from "../scenario";

const waits = (name: string) => `Pod ${namespace}/${name} stays Pending. Find out why.`;
const taint = { key: "team", value: "research", effect: "NoSchedule" };

/** Failures of the target node. */
export const nodeScenarios: readonly Scenario[] = [
  {
    id: "cordoned",
    conclusion: "node-cordoned",
    words: "no longer accepts new pods, scheduling disabled, marked unschedulable, somebody ran cordon",
    symptom: waits,
    injection: ({ target }) => ({ node: { cordon: true }, objects: [pod("server", target, { onTarget: true })] }),
    hints: ({ target }) => [
      `Read what the scheduler says: kubectl -n ${namespace} describe pod server`,
      `The pod selects one node. Look at the state of that node: kubectl get node ${target.name}`,
      "Compare the column STATUS of that node with the others. Ready alone does not mean that it accepts pods.",
    ],
    sign: "kubectl get nodes would show SchedulingDisabled for the node that the pod needs",
    cause: ({ target }) =>
      `The node ${target.name} is cordoned, and the pod selects it. Running pods stay, new ones wait.`,
    repair: ({ target }) => [`kubectl uncordon ${target.name}`],
  },
  {
    id: "taint",
    conclusion: "untolerated-taint",
    words: "tainted, missing toleration, does not tolerate the taint, pod lacks tolerations",
    symptom: waits,
    injection: ({ target }) => ({ node: { taint }, objects: [pod("server", target, { onTarget: true })] }),
    hints: ({ target }) => [
      `Read what the scheduler says: kubectl -n ${namespace} describe pod server`,
      `One reason is about the node that the pod selects. Since Kubernetes 1.34, the message does not say what repels the pod: kubectl describe node ${target.name}`,
      `Compare the Taints of the node with the Tolerations of the pod, key by key. The toleration for ${gpuResource} is not the only one needed.`,
    ],
    sign: "a taint of the node, with the effect NoSchedule or NoExecute, would match none of the pod's tolerations",
    cause: ({ target }) =>
      `The node ${target.name} has the taint ${taint.key}=${taint.value}:${taint.effect}, and the pod does not tolerate it.`,
    repair: ({ target }) => [
      `kubectl taint node ${target.name} ${taint.key}=${taint.value}:${taint.effect}-   # if the pod may run there`,
      `kubectl -n ${namespace} edit pod server   # or add to spec.tolerations: {key: ${taint.key}, operator: Exists}`,
    ],
  },
  {
    id: "no-gpus",
    conclusion: "gpu-allocatable-zero",
    words: "device plugin does not work, no gpu on the node, offers zero gpus",
    // What registers GPUs is missing or fails; which of these applies depends on what is installed.
    also: ["gpu-operator-not-installed", "device-plugin-without-gpus"],
    needs: {
      text: "a GPU node without a kubelet, such as a KWOK node: a kubelet overwrites the number of GPUs",
      accepts: ({ target }) => target.isFake,
    },
    symptom: waits,
    injection: ({ target }) => ({ node: { gpus: 0 }, objects: [pod("server", target, { onTarget: true })] }),
    hints: ({ target }) => [
      `Read what the scheduler says about ${gpuResource}: kubectl -n ${namespace} describe pod server`,
      `Is the GPU used by another pod? kubectl describe node ${target.name} | sed -n '/Allocated resources/,$p'`,
      `Nothing uses it. Compare the numbers that the node advertises: kubectl get node ${target.name} -o jsonpath='{.status.allocatable}'`,
    ],
    sign: `the node would list ${gpuResource} with 0 under Allocatable`,
    cause: ({ target }) =>
      `The node ${target.name} advertises 0 ${gpuResource}, as after the device plugin has stopped. The node itself stays Ready.`,
    repair: () => [
      "kubectl get pods -A -o wide | grep device-plugin   # on a real node: why does the plugin not run there?",
    ],
  },
  {
    id: "unhealthy",
    conclusion: "accelerated-hardware-not-ready",
    words: "gpu hardware fault, bad or broken card, xid error",
    symptom: (name) => `Node ${name} is Ready and takes pods, but programs on its GPU fail. Find out why.`,
    injection: () => ({
      node: { unhealthy: { reason: "NvidiaXID79Error", message: "Nvidia XID detected: 79" } },
      appears: "node",
    }),
    hints: ({ target }) => [
      "When Kubernetes schedules pods, it checks only the condition Ready. A node can report more conditions.",
      `Read all Conditions of the node: kubectl describe node ${target.name}`,
      "A node monitoring agent reports the health of the GPUs in a condition of its own. Find the XID in its reason.",
    ],
    sign: "the condition AcceleratedHardwareReady of the node would be False",
    cause: ({ target }) =>
      `The condition AcceleratedHardwareReady of ${target.name} is False with XID 79: the GPU has fallen off the bus. ` +
      "The scheduler does not look at this condition.",
    repair: ({ target }) => [
      `kubectl drain ${target.name} --ignore-daemonsets --delete-emptydir-data`,
      "# then reboot or replace the machine; on EKS, node repair does both",
    ],
  },
];
