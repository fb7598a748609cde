import type { Step, StepList } from "./entry";

export const describePod = "Show the events of the pod => kubectl describe {pod}";
export const showResources = "kubectl get {pod} -o jsonpath='{.spec.containers[*].resources}'";
export const checkGpu = "Check that the GPU itself is healthy => {smi} -L";
export const showXids = "Show the XID errors of the driver in the kernel log => {shell}sudo dmesg -T | grep -i xid";

/** A failed engine of vLLM prints more than 50 lines after its cause. */
export const logTail = 200;

/** Searches the whole log of the run that ended. */
export const searchLog = "kubectl logs {pod} --all-containers --previous --tail=-1 | grep -iE";

/** @param then what the log shows, and what to do with it */
export function showEndedRun(then: string): Step {
  return `Show the log of the run that ended. ${then} => kubectl logs {pod} --all-containers --previous --tail=${logTail}`;
}

export function showLog(container: string): Step {
  return `Show the log of the previous run => kubectl logs {pod} -c ${container} --previous --tail=${logTail}`;
}

/** What the nodes run, to compare with what the EKS NVIDIA AMIs have. */
export const showImages: StepList = [
  "Show the image of the nodes and their node group. On EKS, the image must be an NVIDIA AMI such as AL2023_x86_64_NVIDIA => kubectl get nodes -o wide -L eks.amazonaws.com/nodegroup,eks.amazonaws.com/nodegroup-image",
];
export const showImagesAndType: StepList = [
  ...showImages,
  "Show the type of the AMI => aws eks describe-nodegroup --cluster-name {cluster} --nodegroup-name {group} --query nodegroup.amiType",
];
export const showRuntimes =
  "kubectl get nodes -o custom-columns='NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage,RUNTIME:.status.nodeInfo.containerRuntimeVersion'";

const readJournal = "sudo journalctl -u containerd --no-pager -n 300";
export const passJournal: Step = `Read the containerd journal on the node, and pass it to triage with --log => {shell}${readJournal}`;

export const showCdi = "{shell}nvidia-ctk cdi list; ls -l /var/run/cdi /etc/cdi";
export const writeCdi: Step =
  "Let the toolkit of the GPU Operator write its specifications again, then create the pod again. Without the operator, run on the node: sudo nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml =!> kubectl -n {operator} delete pod -l app=nvidia-container-toolkit-daemonset --field-selector spec.nodeName={node}";
