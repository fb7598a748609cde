import { showCdi, showEndedRun, showRuntimes, writeCdi } from "./common-steps";
import type { KnownCauses } from "./entry";

/**
 * Faults that the device plugin, NVML and the operator's other components report, the deepest cause first. The first
 * pattern that matches decides.
 *
 * @see https://github.com/NVIDIA/k8s-device-plugin/tree/v0.19.0/cmd https://github.com/NVIDIA/k8s-device-plugin/tree/v0.19.0/internal
 * @see https://github.com/NVIDIA/go-nvml/blob/v0.13.0-1/pkg/nvml/const.go https://docs.nvidia.com/deploy/nvml-api
 * @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.0-4.8.0/internal/pkg/dcgmprovider/dcgm.go
 */
export const gpuComponents = {
  "mps-daemon-not-ready": {
    layer: "daemonset",
    stops: "plugin",
    pattern:
      /MPS (?:control )?(?:daemon|server|client|command|manager|configuration)\b.*(?:fail|error|invalid|not |unable)|(?:fail|error|unable)\w*\W.*\bMPS (?:control )?(?:daemon|server|manager|command)|using MPS requires|not supported with MPS|maximum allowed replicas exceeded|cudaErrorMps\w+|CUDA_ERROR_MPS_\w+/i,
    what: "GPUs are shared with MPS, and the MPS control daemon does not run on the node or rejects the configuration. The device plugin advertises no GPUs until the daemon answers.",
    next: [
      "Show the daemon. The operator starts it where the label nvidia.com/mps.capable is true => kubectl get pods -A -o wide --field-selector spec.nodeName={node} | grep -i mps",
      "Show the label and the sharing that the node selects => kubectl get node {node} -L nvidia.com/mps.capable,nvidia.com/device-plugin.config,nvidia.com/gpu.sharing-strategy",
    ],
  },
  "mig-strategy-mismatch": {
    layer: "daemonset",
    stops: "plugin",
    pattern:
      /invalid MIG configuration|no MIG devices configured|migEnabled(?: value|=true)|more than one MIG device type|mig-strategy=\S* is only supported|unknown MIG strategy|MIG profile .* does not match any resource/i,
    what: "The MIG devices of the node do not fit the MIG strategy of the device plugin: single needs the same layout on every GPU; mixed accepts different ones.",
    next: [
      "Show the strategy and the layout => kubectl get node {node} -L nvidia.com/mig.strategy,nvidia.com/mig.config,nvidia.com/mig.config.state",
      "Show the MIG devices that exist => {smi}",
    ],
  },
  // The toolkit and the MIG manager write level= and read configurations of their own.
  "plugin-config-invalid": {
    layer: "daemonset",
    from: "component",
    stops: "plugin",
    pattern:
      /(?<!level=.*)(?:unable to (?:load|finalize|validate|parse) (?:config|flags)(?! for runtime|: CDI )|error unmarshall?ing|error parsing config)|specified config \S+ does not exist|no configuration files available|no config was set, no default|does not match any resource patterns|invalid --[\w-]+ option|unknown fallback strategy|error creating symlink/i,
    what: "The device plugin rejects its configuration, or its config manager cannot switch to it: a flag or the ConfigMap is invalid, or the label nvidia.com/device-plugin.config of the node names a configuration that does not exist.",
    next: [
      "Show the configuration that the node selects => kubectl get node {node} -L nvidia.com/device-plugin.config",
      "Show the ConfigMap and its default => kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.config}'",
      "If the message names a symlink, an older configuration is in the way: create the pod again =!> kubectl delete {pod}",
    ],
  },
  "plugin-not-registered": {
    layer: "daemonset",
    from: "component",
    stops: "plugin",
    pattern:
      /Could not (?:register device plugin|contact Kubelet)|kubelet\.sock: (?:connect|no such file)|device-plugins\/\S+\.sock: bind: |failed to dial.*kubelet|error (?:dialing|connecting to) kubelet/i,
    what: "The device plugin cannot register with the kubelet: the kubelet does not run or uses a directory other than /var/lib/kubelet/device-plugins, or the plugin is not allowed to create its socket there.",
    next: "Check the kubelet and its socket => {shell}sudo systemctl status kubelet --no-pager; ls -la /var/lib/kubelet/device-plugins/",
  },
  "plugin-incompatible-strategy": {
    stops: "plugin",
    pattern: /incompatible (?:device discovery )?strategy|invalid device discovery strategy/i,
    what: "The device plugin runs without NVIDIA's libraries: containerd did not start it with the NVIDIA runtime.",
    next: `Check that the NVIDIA runtime is containerd's default on the node, as in the EKS NVIDIA AMI => ${showRuntimes}`,
  },
  "gpu-libraries-missing": {
    stops: "plugin",
    pattern:
      /LIBRARY_NOT_FOUND|could not load NVML|NVML (?:shared )?library (?:could ?not|not) (?:be )?found|libnvidia-ml\.so\S* cannot open|FUNCTION_NOT_FOUND|only supported on NVML-based systems/i,
    what: "The container has no NVML library (libnvidia-ml.so.1): containerd did not start it with the NVIDIA runtime, or the node has no driver. The GPU itself is not the problem.",
    next: [
      `Check that the NVIDIA runtime is containerd's default on the node, as in the EKS NVIDIA AMI => ${showRuntimes}`,
      "Show the RuntimeClass of the pod. If the NVIDIA runtime is not the default, it must be nvidia => kubectl get {pod} -o jsonpath='{.spec.runtimeClassName}'",
    ],
  },
  "gpu-permission-denied": {
    stops: "plugin",
    pattern:
      /NVML\W.*(?:insufficient permissions|NO_PERMISSION)|(?:ERROR_|:\s*)(?:NO_PERMISSION|Insufficient Permissions)/i,
    what: "NVML denies the container access (insufficient permissions). To see MIG devices, the device plugin needs to be privileged or have SYS_ADMIN and NVIDIA_MIG_MONITOR_DEVICES=all.",
    next: "Show the security context of the pod => kubectl get {pod} -o jsonpath='{.spec.containers[*].securityContext}'",
  },
  "gpu-not-injected": {
    stops: "plugin",
    pattern:
      /nvidia-container-cli\S*: (?:device error|initialization error: nvml error: unknown error)|device error: \S+: unknown device|failed to get device handle (?:from|for) \S+/i,
    what: "The container did not start: the NVIDIA runtime does not find the GPU of the container. The driver no longer lists the GPU, the MIG devices have changed, or NVIDIA_VISIBLE_DEVICES names a GPU that does not exist.",
    next: [
      "List the GPUs and MIG devices that the driver has => {smi} -L",
      "Show whether the pod sets NVIDIA_VISIBLE_DEVICES => kubectl get {pod} -o jsonpath='{.spec.containers[*].env[*].name}'",
    ],
  },
  "gpu-devices-lost": {
    stops: "plugin",
    pattern:
      /NVML\W+(?:error\W+)?(?:ERROR_)?unknown\b|(?<!CUDA_)ERROR_UNKNOWN\b|unable to determine the device handle.*unknown error/i,
    what: "The container has lost its GPU devices: systemd reloaded its units and rewrote the device cgroup of running containers, or the GPU of the container no longer exists. New containers can work.",
    next: [
      "Run nvidia-smi in another pod that has the GPU devices. If it works there, only this pod is affected => {smi}",
      "Create the pod again =!> kubectl delete {pod}",
    ],
  },
  "plugin-nvml-error": {
    stops: "plugin",
    pattern: /failed to init(?:ialize)? NVML|NVML error|nvml init failed|error (?:getting|initializing) NVML/i,
    what: "The pod cannot use the driver through NVML: the driver is not ready, or the pod has lost its devices. The message names the error.",
    next: ["Run nvidia-smi in another pod that has the GPU devices. If it works there, create the pod again => {smi}"],
  },
  "cdi-spec-faulty": {
    of: "node",
    stops: "plugin",
    pattern:
      /CDI device injection failed|failed to inject CDI devices|(?:fail(?:ed|ure)|error|unable)\b[\w ]{0,30}\bCDI (?:spec|handler|modifier)|conflicting device "?\S+ \(specs? |failed to stat CDI host device|invalid device, empty device edits|invalid CDI (?:spec|device)/i,
    what: "A CDI specification of the node is faulty or could not be written: it names files that do not exist, two files name the same device, or its version is too new for containerd. Containers get no GPU from it, and the device plugin may find none.",
    next: [
      `Show the specifications and their devices. Delete one of two files with the same device => ${showCdi}`,
      "Show why no valid specification can be written => {shell}sudo nvidia-ctk cdi generate --output=/dev/null",
      writeCdi,
    ],
  },
  "plugin-finds-no-devices": {
    stops: "driver",
    pattern: /No devices found\. Waiting indefinitely/i,
    what: "The device plugin found no GPU and waits. Either the driver does not see a GPU (nouveau is loaded instead, or the driver does not support the GPU), or the container does not use the NVIDIA runtime.",
    next: [
      "Check that the driver sees the GPU, in a pod that has the GPU devices => {smi} -L",
      "If not, check that the node has a GPU => {shell}lspci -d 10de:",
    ],
  },
  "dcgm-engine-missing": {
    layer: "daemonset",
    pattern: /(?:connecting|connect) to (?:remote hostengine|nv-hostengine|host engine)\b(?! at )/i,
    what: "The DCGM exporter cannot reach the DCGM engine (nv-hostengine) that it is configured to use. GPU metrics are missing, but pods can still use the GPUs.",
    next: [
      "Check that an engine runs on the node: nvidia-dcgm of the operator, or dcgm-server of the node monitoring agent => kubectl get pods -A -o wide --field-selector spec.nodeName={node} | grep -E 'nvidia-dcgm|dcgm-server'",
      "Show the engine that the exporter uses (DCGM_REMOTE_HOSTENGINE_INFO; without it, the exporter runs its own) => kubectl -n {operator} get daemonset nvidia-dcgm-exporter -o jsonpath='{.spec.template.spec.containers[0].env}'",
    ],
  },
  "toolkit-cannot-signal": {
    stops: "plugin",
    pattern: /error signaling containerd|unable to (?:restart|signal) containerd/i,
    what: "The NVIDIA Container Toolkit cannot reach containerd. This is a symptom: the runtime on the node is down, or the path of its socket is a directory. The EKS NVIDIA AMI includes the toolkit, so set toolkit.enabled to false there.",
    next: "Save the containerd journal on the node, and pass it to triage with --log => {shell}sudo journalctl -u containerd --no-pager -n 300",
  },
  "toolkit-config-failed": {
    stops: "plugin",
    pattern:
      /unable to (?:load|update|flush|save) (?:containerd |runtime )?config for runtime|unable to (?:load|update|flush|save) containerd config|unable to (?:setup|configure) (?:runtime|containerd)|level=\w+ msg="Error: unable to load config: /i,
    what: "The NVIDIA Container Toolkit cannot configure containerd: it does not know the version of containerd's configuration, or the file or its folder is elsewhere or read-only. The EKS NVIDIA AMI includes the toolkit, so set toolkit.enabled to false there.",
    next: [
      `Show containerd's version and the image of the nodes => ${showRuntimes}`,
      "Show what the operator configures: the version, and the paths in env => kubectl get clusterpolicies -o jsonpath='{.items[*].spec.toolkit}'",
    ],
  },
  "api-not-reachable": {
    layer: "daemonset",
    from: "component",
    atMost: "likely",
    pattern:
      /leader ?election lost|failed to renew lease|dial tcp \S+:443: (?:i\/o timeout|connect: )|dial tcp: lookup (?:[\w-]+|\S+\.svc\S*) on |TLS handshake timeout/i,
    what: "The component cannot reach the API server, or another Service of the cluster, in time: the API server is overloaded, or the network or the DNS does not work for its pod. The GPUs are not the problem.",
    next: [
      showEndedRun("It names the address"),
      "Check the pods of the network and of DNS on the node of the pod => kubectl -n kube-system get pods -o wide -l 'k8s-app in (aws-node, kube-proxy, kube-dns)'",
    ],
  },
  "api-access-denied": {
    layer: "daemonset",
    from: "component",
    atMost: "likely",
    pattern:
      /is forbidden: User "system:serviceaccount:|no matches for kind \W*"|could not find the requested resource/i,
    what: "The API server rejects the requests of the component: a ClusterRole does not allow them, or a CustomResourceDefinition is missing. An upgrade of a chart without its CRDs causes both.",
    next: [
      showEndedRun("It names the resource"),
      "Show the CRDs of the operator and of node feature discovery => kubectl get crds | grep -E 'nvidia.com|nfd.k8s'",
    ],
  },
} satisfies KnownCauses;
