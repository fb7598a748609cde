import { knownError } from "../snapshot/logs/known-errors";
import { causeIn, type Cause, type Step } from "./entry";
import { passJournal } from "./common-steps";

/** What a registry or containerd says about a pull, and what it means. */
const pulls: readonly Cause[] = [
  {
    pattern: /\b429\b|toomanyrequests|rate.?limit/i,
    what: "The registry refuses more pulls for now (rate limit). Authenticate, or use a copy in ECR.",
  },
  {
    pattern: /no match(?:ing manifest)? for/i,
    what: "The image has no variant for the CPU architecture of the node.",
  },
  {
    pattern: /\b40[13]\b|unauthorized|denied|no basic auth|failed to authorize/i,
    what: "The registry denies access: the pull secret is missing or wrong (nvcr.io: an NGC key), the role of the node is not allowed to read ECR, or the name does not exist.",
  },
  {
    pattern: /not found|manifest unknown|does not exist/i,
    what: "The registry has no image with this name and tag.",
  },
  {
    pattern: /timeout|deadline exceeded|no such host|connection re\w+|x509|TLS handshake/i,
    what: "The node cannot reach the registry: check its route to the internet (NAT), DNS, proxy and certificates, or the VPC endpoints of ECR and S3.",
  },
];

export function pullText(messages: readonly string[]): string {
  if (messages.some((text) => knownError(text) === "disk-full")) return "The node has no space left for it.";
  return causeIn(pulls, ...messages)?.what ?? "Check its name, its tag and the permission to pull it.";
}

/** @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go */
const claims: readonly (Cause & { readonly isOfUser?: true })[] = [
  {
    pattern: /(?:DRA driver|plugin name) \S+ (?:is )?not (?:registered|found in the list)/i,
    what: "The kubelet of the node does not know the DRA driver: the driver has no pod there, or its pod has not registered.",
  },
  {
    pattern: /device ?class/i,
    what: "The DeviceClass of the claim does not exist: the DRA driver that defines it is not installed.",
  },
  {
    pattern: /not found|create the resourceclaim/i,
    what: "The claim or its template does not exist.",
    isOfUser: true,
  },
  {
    pattern: /allocate all claims|not available on the node/i,
    what: "No node has free devices that match the claim, or no DRA driver offers devices (ResourceSlices).",
  },
  { pattern: /prepare/i, what: "The DRA driver on the node cannot prepare the devices." },
];

export function claimText(message: string): string {
  return causeIn(claims, message)?.what ?? "The claim is not allocated.";
}

/** Whether the DRA driver can be the reason why a claim is not allocated. */
export function concernsDriver(message: string): boolean {
  return causeIn(claims, message)?.isOfUser !== true;
}

/** Why the kubelet cannot create the sandbox of a pod. */
const sandboxes: readonly (Cause & { readonly next: Step })[] = [
  {
    pattern: /no runtime for|runtime handler/i,
    what: "containerd has no runtime with the name in the pod's RuntimeClass. The EKS NVIDIA AMI configures the runtime nvidia; on other AMIs the toolkit of the GPU Operator does.",
    next: "Show the OS image of the nodes => kubectl get nodes -o custom-columns='NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage'",
  },
  {
    pattern: /containerd\.sock|connection refused|deadline exceeded|ttrpc/i,
    what: "the container runtime of the node does not respond.",
    next: passJournal,
  },
  {
    pattern: /network|assign an IP|cni/i,
    what: "the network plugin assigned no address. The plugin does not run on the node, or the subnet has no free address.",
    next: "Check that the VPC CNI runs on the node => kubectl -n kube-system get pods -l k8s-app=aws-node -o wide --field-selector spec.nodeName={node}",
  },
];

export function sandboxCause(message: string) {
  return causeIn(sandboxes, message);
}
