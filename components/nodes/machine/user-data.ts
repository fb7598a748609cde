import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dump } from "js-yaml";
import { s } from "../../core/schema";

/** What a node does at its first boot, before it joins the cluster. */
interface UserDataSpec {
  /** Pods a node accepts. Undefined leaves it to EKS, which counts the addresses of the instance type. */
  readonly maxPods?: number | undefined;
  /** `raid0` puts containerd and the kubelet on all instance store volumes as one array. */
  readonly localStorage?: "none" | "raid0" | undefined;
  /** Packages of Amazon Linux 2023 to install. */
  readonly tools?: readonly string[] | undefined;
}

/** Tools on every node, to inspect its disks, network and processes. */
export const nodeTools = ["tree", "bind-utils", "tcpdump", "nvme-cli", "links", "sysstat", "ipset", "htop"] as const;

/** The same, and lspci, which shows a GPU that fell off the bus. */
export const gpuNodeTools: readonly string[] = [...nodeTools, "pciutils"];

/** Fixed, so that the same input gives the same launch template; no part contains it. */
const boundary = "EKS-GPU-LAB-PART";

/** The user data of a launch template without an AMI, in base64. */
export function userData(spec: UserDataSpec): string | undefined {
  const text = userDataText(spec);
  return text === undefined ? undefined : Buffer.from(text).toString("base64");
}

/**
 * The user data of nodes: EKS and Karpenter add a part that joins the node to the cluster. Undefined if there is nothing to
 * configure.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#launch-template-user-data
 * @see https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
 */
export function userDataText(spec: UserDataSpec): string | undefined {
  const config = nodeConfig(spec);
  const parts = [
    ...(config ? [part("application/node.eks.aws", dump(config))] : []),
    ...(spec.tools?.length ? [part('text/x-shellscript; charset="us-ascii"', toolsScript(spec.tools))] : []),
  ];
  if (parts.length === 0) return undefined;
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n\n`;
  return `${head}${parts.join("")}--${boundary}--\n`;
}

function part(type: string, body: string): string {
  return `--${boundary}\nContent-Type: ${type}\n\n${body}\n`;
}

/** EKS merges this with the NodeConfig it writes itself. */
function nodeConfig({ maxPods, localStorage }: UserDataSpec): object | undefined {
  if (maxPods === undefined && localStorage !== "raid0") return undefined;
  return {
    apiVersion: "node.eks.aws/v1alpha1",
    kind: "NodeConfig",
    spec: {
      ...(maxPods !== undefined && { kubelet: { config: { maxPods } } }),
      ...(localStorage === "raid0" && { instance: { localStorage: { strategy: "RAID0" } } }),
    },
  };
}

/**
 * Installs tools for people. The node does not need them: the script never fails, skips packages that the repository
 * does not have (strict=0), and is limited in time, because the kubelet starts after it. It does not update packages,
 * so a node keeps the packages of its AMI release.
 */
function toolsScript(tools: readonly string[]): string {
  const script = readFileSync(join(__dirname, "scripts/install-tools.sh"), "utf8");
  return script.replace("@TOOLS@", () => tools.join(" "));
}

/** A list of packages. Their names become part of a shell script that root runs. */
export function packageList() {
  const form = "the name of a package: letters, digits, dots, dashes, underscores and plus signs";
  const item = s.matching(/^[A-Za-z0-9][A-Za-z0-9._+-]*$/, form, 'use a name such as "htop"');
  return s.list(item, '["htop", "tcpdump"]');
}
