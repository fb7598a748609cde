import { showEndedRun, showResources } from "./common-steps";
import { readIn, type ProgramCauses } from "./entry";

const showPods = "kubectl -n {namespace} get pods -o wide";
const showLimits = "kubectl get {pod} -o jsonpath='{.spec.containers[*].resources.limits}'";
const ncclDocs = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs";
const rayGuide = "https://docs.ray.io/en/latest/cluster/kubernetes/troubleshooting/troubleshooting.html";

/** Why processes on several GPUs cannot work together: NCCL, EFA, torch.distributed and Ray. */
export const collective = {
  "nccl-duplicate-gpu": {
    ...readIn("NCCL 2.21.5 to 2.30.7", `${ncclDocs}/usage/communicators.html`),
    pattern: /Duplicate GPU detected|Multiple Ranks are using the same GPU\/Partition/i,
    what: "Two ranks of NCCL use the same GPU: the pod starts more processes than it has GPUs, the GPU is shared, or the program does not call torch.cuda.set_device.",
    next: `Show the limits. Start one process for each GPU, and do not use time slicing or MPS for NCCL => ${showLimits}`,
  },
  "nccl-interface-missing": {
    rank: 2,
    ...readIn("NCCL 2.21.5 to 2.30.7", `${ncclDocs}/env.html#nccl-socket-ifname`),
    pattern: /no socket interface found|No usable listening interface found/i,
    what: "NCCL finds no network interface to use: NCCL_SOCKET_IFNAME names one that the pod does not have.",
    next: "Show the variables. Set NCCL_SOCKET_IFNAME=eth0, the interface of a pod, or remove it => kubectl get {pod} -o jsonpath='{.spec.containers[*].env}'",
  },
  "nccl-connect-failed": {
    rank: 2,
    ...readIn("NCCL 2.21.5 to 2.30.7", `${ncclDocs}/troubleshooting/networking_troubleshooting.html`),
    pattern: /socket(?:Start|Poll)Connect: (?:connect to |exceeded )|Call to connect returned /i,
    what: "NCCL cannot connect to another rank over TCP: a security group or a network policy blocks its ports, the other rank has ended, or NCCL uses the wrong interface. 169.254.170.23 is the interface of EKS Pod Identity, which other nodes cannot reach.",
    next: [
      `Show the other pods. The first error of the pod that ended first is the cause => ${showPods}`,
      "Check network policies. Nodes need a rule that allows all traffic among themselves; for the wrong interface set NCCL_SOCKET_IFNAME=^lo,docker,veth,eni,pod-id-link0 => kubectl -n {namespace} get networkpolicies",
    ],
  },
  "nccl-watchdog-timeout": {
    rank: 2,
    ...readIn("PyTorch 2.4.1 to 2.15.0", "https://docs.pytorch.org/docs/stable/torch_nccl_environment_variables.html"),
    pattern: /Watchdog caught collective operation timeout|ProcessGroupNCCL's watchdog got stuck/i,
    what: "A collective operation did not finish in time: one rank has ended, hangs, is slower than the others, or cannot be reached.",
    next: [
      `Show all pods of the job. Find the rank whose log stops first => ${showPods}`,
      showEndedRun(
        "It names the operation and the rank. Raise the timeout only if a rank writes a checkpoint during the operation",
      ),
    ],
  },
  "efa-provider-missing": {
    rank: 2,
    ...readIn("aws-ofi-nccl 1.7.4 to 1.21.1", "https://github.com/aws/aws-ofi-nccl/issues/1020"),
    pattern:
      /Unable to find a protocol that worked|No eligible providers were found|aws-ofi-nccl initialization failed|Couldn't find any optimal provider|fi_getinfo\(\) call failed: No data available/,
    what: "The EFA plugin of NCCL finds no EFA device in the container: the pod has no limit vpc.amazonaws.com/efa, or the image lacks libfabric from the EFA installer. NCCL fails, or continues over TCP.",
    next: [
      `Show the limits. Add vpc.amazonaws.com/efa; a p5.48xlarge offers 32 => ${showLimits}`,
      "Show what the node offers => kubectl get node {node} -o jsonpath='{.status.allocatable}'",
    ],
  },
  "memory-lock-limit": {
    rank: 2,
    ...readIn(
      "aws-ofi-nccl 1.7.4 to 1.21.1, NCCL 2.27.7",
      "https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    ),
    pattern:
      /NET\/OFI [^\n]{0,200}Cannot allocate memory|Libfabric error: \(-12\)|ibv_(?:reg_mr|create_cq|create_qp)[^\n]{0,80}Cannot allocate memory|Unable to allocate huge pages/,
    what: "The network library cannot lock memory: the limit of locked memory (memlock) is too low, or the pod has too few hugepages.",
    next: `Show the limits. Add hugepages-2Mi: 5120Mi, as in the EKS guide, and let the container runtime set memlock to unlimited => ${showLimits}`,
  },
  "rendezvous-failed": {
    rank: 2,
    ...readIn("PyTorch 2.4.1 to 2.15.0", "https://docs.pytorch.org/docs/main/distributed/elastic/run.html"),
    pattern:
      /Timed out after \d+ seconds waiting for clients|client socket has timed out|DistStoreError|failed to connect\/validate to host|Rendezvous(?:Timeout|Connection|Closed|State)Error|using env:\/\/ rendezvous/,
    what: "Not all processes of the job connected in time: a pod is Pending, the name or the port of the first pod is wrong, the port is closed, or a variable such as RANK or WORLD_SIZE is missing.",
    next: [
      `Show the pods. All must run at the same time; a headless Service needs publishNotReadyAddresses => ${showPods}`,
      "Show MASTER_ADDR, MASTER_PORT, WORLD_SIZE and the arguments of torchrun => kubectl get {pod} -o jsonpath='{.spec.containers[*].env} {.spec.containers[*].args}'",
    ],
  },
  "ray-gpus-missing": {
    ...readIn("vLLM 0.6.6 to 0.33.0, Ray 2.40.0 to 2.60.0", rayGuide),
    pattern:
      /Cannot provide a placement group (?:of|requiring) |number of required \w{1,10}s exceeds the total number of available|Current node has no \w{1,10} available|does not allocate any \w{1,10}s on the driver node|No nodes with resources found in Ray cluster|No \w{1,10} found in Ray cluster|No available node types can fulfill resource request|could not find a node type to satisfy/,
    what: "The Ray cluster has fewer GPUs than the program asks for, or the program starts on a Ray node without a GPU: the parallel sizes exceed the GPUs of its workers.",
    next: [
      "Show the pods of the Ray cluster and their GPUs. Add workers, or lower the parallel sizes => kubectl -n {namespace} get pods -l ray.io/node-type -o custom-columns='NAME:.metadata.name,PHASE:.status.phase,GPUS:.spec.containers[*].resources.limits.nvidia\\.com/gpu'",
      `Show the limits of this pod => ${showResources}`,
    ],
  },
  "ray-head-not-reachable": {
    rank: 2,
    ...readIn("Ray 2.40.0 to 2.60.0", rayGuide),
    pattern: /(?:failed|unable) to connect to GCS|Could not find any running Ray instance|Waiting for GCS to be ready/i,
    what: "The process cannot reach the head of its Ray cluster: the head does not run, RAY_ADDRESS is wrong, or port 6379 is closed.",
    next: "Show the head and its Service. The Ray versions of head and workers must be the same => kubectl -n {namespace} get pods,services -l ray.io/node-type=head",
  },
} satisfies ProgramCauses;
