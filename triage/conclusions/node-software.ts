import { showCdi, showImages, showImagesAndType, showXids, writeCdi } from "./common-steps";
import type { KnownCauses } from "./entry";

/**
 * Faults of the node, its driver and its runtime. The deepest cause comes first: it explains the later ones on its node.
 * The first pattern that matches decides.
 *
 * @see https://github.com/NVIDIA/libnvidia-container/blob/v1.17.8/src/nvc_info.c
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/cmd/nvidia-validator/main.go
 * @see https://github.com/NVIDIA/k8s-driver-manager/blob/v0.9.0/cmd/driver-manager/main.go
 */
export const nodeSoftware = {
  "node-file-limits": {
    layer: "node",
    of: "node",
    stops: "plugin",
    pattern:
      /(?:watcher|fsnotify|inotify)\b.*(?:too many open files|no space left on device|limit)|(?<!errors like .{0,40})too many open files|number of inotify \w+ was reached/i,
    what: "A process on the node cannot watch or open more files: most often, the limits of inotify are too low for the number of pods (fs.inotify.max_user_instances, max_user_watches). The disk can have free space, and the GPU is healthy.",
    next: [
      "Show the limits => {shell}sysctl fs.inotify fs.file-nr; ulimit -n",
      "Raise them until the next boot. Then set them in the user data of the node group => {shell}sudo sysctl -w fs.inotify.max_user_instances=8192 fs.inotify.max_user_watches=524288",
    ],
  },
  // A container that writes to its own volumes or to /dev/shm gets the same error.
  "disk-full": {
    layer: "node",
    of: "node",
    stops: "plugin",
    atMost: "likely",
    pattern: /(?<=(?:\/var\/lib\/kubelet|containerd|\bpull|rpc error).*)no space left on device/i,
    what: "The disk of the node is full: writes fail, images cannot be pulled, and the kubelet evicts pods.",
    next: [
      "Show what fills the disk => {shell}df -h; sudo du -xsh /var/lib/containerd /var/lib/kubelet",
      "Unused images can be deleted on the node. In a lab, give the nodes a larger disk =!> pulumi config set --path gpuNodes.diskSizeGiB 200 && pulumi up",
    ],
  },
  "driver-in-use": {
    of: "node",
    stops: "plugin",
    pattern:
      /driver kernel modules, driver is in use|Module nvidia\w* is in use|failed to uninstall nvidia driver components|cannot proceed until all GPU pods are drained|still hold GPU resource claims/i,
    what: "The operator cannot unload the old driver because processes use it. The new driver waits until the GPU pods of the node have ended.",
    next: [
      "Show the pods of the node. Then stop those with GPUs, or drain the node => kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
      "Show how the operator upgrades drivers => kubectl get clusterpolicies -o jsonpath='{.items[*].spec.driver.upgradePolicy}'",
    ],
  },
  "driver-not-built": {
    of: "node",
    stops: "plugin",
    pattern:
      /Could not resolve Linux kernel version|(?:unable to find|could not find|no package|unable to locate package|no match for argument:?)\W.*(?:kernel-(?:headers|devel|core)|linux-(?:headers|modules)|kernel headers)|Key was rejected by service|Required key not available|could not insert (?:module )?'?\S*nvidia/i,
    what: "The driver container cannot build or load the driver for the kernel of the node: its headers are not available, or Secure Boot rejects the module. The EKS NVIDIA AMIs include a driver, so set driver.enabled to false there.",
    next: [
      ...showImages,
      "Show the kernel and the module => {shell}uname -r; mokutil --sb-state; sudo dmesg -T | grep -i nvidia",
    ],
  },
  "driver-version-mismatch": {
    of: "node",
    stops: "plugin",
    pattern: /driver\/library version mismatch|LIB_RM_VERSION_MISMATCH|API mismatch: the client has the version/i,
    what: "The loaded driver and its libraries have different versions: the driver was updated while the old module was loaded. This is not a hardware fault.",
    next: [
      "Compare the module with the libraries => {shell}cat /proc/driver/nvidia/version; ls /usr/lib*/libnvidia-ml.so.*",
      "Stop its pods, then reboot or replace the node =!> kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --timeout=120s",
    ],
  },
  "gpu-driver-missing": {
    of: "node",
    stops: "driver",
    pattern:
      /nvidia-container-cli\S*: initialization error: (?:load library failed: libnvidia-ml|nvml error: driver not loaded)|DRIVER_NOT_LOADED|NVML\W+driver not loaded|couldn't communicate with the NVIDIA driver|failed to (?:find an executable|locate|run command) \W?nvidia-smi|No pre-installed driver detected|Has the NVIDIA GPU driver been set up/i,
    what: "The NVIDIA driver is not installed or not loaded on the node. The EKS NVIDIA AMIs include it; on a plain AMI, the GPU Operator installs it only if driver.enabled is true. A DRA driver finds it only under its nvidiaDriverRoot: / on the EKS NVIDIA AMIs.",
    next: [
      ...showImagesAndType,
      "Check on the node that the driver is loaded => {shell}nvidia-smi; lsmod | grep nvidia",
    ],
  },
  "nvidia-runtime-missing": {
    of: "node",
    stops: "plugin",
    pattern:
      /no runtime for \W*nvidia|runtime handler \W*nvidia|nvidia-container-runtime\S*: (?:no such file|permission denied)|exec: \W*nvidia-container-runtime\S* executable file not found/i,
    what: "The node has no runtime named nvidia: containerd does not know it, or its program (nvidia-container-runtime) is missing. The EKS NVIDIA AMIs contain the driver, the toolkit and this runtime; a plain AMI contains none of them. On other images, the toolkit of the GPU Operator configures the runtime.",
    next: showImagesAndType,
  },
  "cdi-device-missing": {
    of: "node",
    stops: "plugin",
    pattern: /unresolvable CDI devices/i,
    what: "containerd finds no CDI specification of the GPUs that a container requests. The specification is missing, or older than the last change of the GPUs: the driver or the toolkit did not write it.",
    next: [`Show the CDI devices of the node => ${showCdi}`, writeCdi, ...showImages],
  },
  // XIDs that the device plugin ignores are faults of an application.
  "gpu-xid-error": {
    of: "node",
    stops: "driver",
    pattern:
      /XidCriticalError|NVRM: Xid \(PCI:[^)]*\): (?!(?:13|31|43|45|68|109)\b)\d|fallen off the bus|GPU is lost|GPU_IS_LOST|RESET_REQUIRED|GPU requires reset|uncorrectable ECC error/i,
    meaning: "the driver reports a fatal error of a GPU",
    what: ({ xid }) =>
      `The driver reports a fatal error of a GPU${xid}. The device plugin marks the GPU unhealthy until the plugin is restarted.`,
    next: [showXids, "Keep new pods off the node, and replace it =!> kubectl cordon {node}"],
  },
  "fabric-manager-not-running": {
    of: "node",
    pattern:
      /system not yet initialized|SystemNotReady|SYSTEM_NOT_READY|\berror 802\b|fabric ?manager.*(?:not running|fail|inactive)/i,
    what: "CUDA cannot start on the node (error 802): the GPUs are connected by NVSwitch, and the NVIDIA Fabric Manager does not run, has a different version than the driver, or has not finished. A single GPU can look healthy in nvidia-smi.",
    next: [
      "Show the state of the fabric (Fabric State) in a pod that has the GPU devices => {smi}",
      "Check the service. Its version must match the driver => {shell}sudo systemctl status nvidia-fabricmanager; cat /proc/driver/nvidia/version",
    ],
  },
} satisfies KnownCauses;
