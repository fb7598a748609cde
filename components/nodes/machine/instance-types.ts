import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";
import { nearest } from "../../core/suggest";
import data from "./instance-type-table.json";

/** AMI type of a managed node group, one for each kind of node this library makes. */
export type AmiType =
  "AL2023_x86_64_STANDARD" | "AL2023_ARM_64_STANDARD" | "AL2023_x86_64_NVIDIA" | "AL2023_ARM_64_NVIDIA";

/**
 * The facts about an EC2 instance type that are known without a request to AWS; instance-type-table.json contains
 * sources and dates.
 */
export interface InstanceType {
  /** Such as `g5.xlarge`. */
  readonly name: string;
  /** `g5` of `g5.xlarge`. */
  readonly family: string;
  /** In the spelling of Kubernetes. */
  readonly architecture: "amd64" | "arm64";
  /** Virtual CPUs. */
  readonly vcpus: number;
  /** Memory of the machine. */
  readonly memoryGiB: number;
  /**
   * What a node advertises as `nvidia.com/gpu`: 0 without a GPU, 1 for a part of one, although EC2 reports 0 GPUs for that.
   */
  readonly gpus: number;
  /** The share of its one GPU that the type has; only g6f and gr6f. */
  readonly gpuFraction?: number;
  /** Model of its GPUs, such as `A10G`; none without a GPU. */
  readonly gpuModel?: string;
  /** Memory of each GPU, or of the part of it, as EC2 reports it: an A10G sold with 24 GB has 22.4. */
  readonly gpuMemoryGiB?: number;
  /** All instance store volumes together, in GB; 0 where there is none. */
  readonly localNvmeGB: number;
  /** Network cards that can carry an Elastic Fabric Adapter; 0 where there is none. */
  readonly efaInterfaces: number;
  /** All network cards. */
  readonly networkCards: number;
  /** Pods that get an address without prefix delegation: each interface keeps one, and two pods use the host's. */
  readonly maxPods: number;
  /** Network interfaces of the default network card. */
  readonly networkInterfaces: number;
  /** IPv4 addresses of each of these interfaces, with its own. */
  readonly ipv4PerInterface: number;
  /** The EKS AMI of its nodes. */
  readonly amiType: AmiType;
  /** Service Quotas codes (service `ec2`, in vCPUs) that an instance counts against. */
  readonly quotaCodes: { readonly onDemand: string; readonly spot: string };
  /** Value of the node label `k8s.amazonaws.com/accelerator`. */
  readonly acceleratorLabel?: string;
  /** Whether the GPU Operator can partition the GPU (MIG). */
  readonly supportsMig: boolean;
  /** First AMI release, as its date (20260917), whose driver knows the GPU, where not every release does. */
  readonly minimumAmiDate?: string;
}

type Row = [
  name: string,
  architecture: "amd64" | "arm64",
  vcpus: number,
  memoryGiB: number,
  gpus: number,
  gpuModel: string | null,
  gpuMemoryMiB: number | null,
  localNvmeGB: number,
  efaInterfaces: number,
  networkCards: number,
  networkInterfaces: number,
  ipv4PerInterface: number,
];

/**
 * By GPU model. The Cluster Autoscaler 1.35.2 lists nvidia-tesla-t4, nvidia-a10g, nvidia-l4, nvidia-l40s and
 * nvidia-tesla-a100; to it the value is a name in metrics, the label's presence is what matters. The other models
 * follow the same pattern: `nvidia-` and the model in lower case.
 *
 * MIG: the RTX PRO 4500 can be partitioned from NVIDIA's driver branch 610 on only, newer than any EKS AMI's (2026-10).
 *
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/cloudprovider/aws/aws_cloud_provider.go
 * @see https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-gpus.html
 */
const gpuModels: Readonly<Record<string, { acceleratorLabel: string; supportsMig: boolean }>> = {
  T4: { acceleratorLabel: "nvidia-tesla-t4", supportsMig: false },
  T4G: { acceleratorLabel: "nvidia-t4g", supportsMig: false },
  A10G: { acceleratorLabel: "nvidia-a10g", supportsMig: false },
  L4: { acceleratorLabel: "nvidia-l4", supportsMig: false },
  L40S: { acceleratorLabel: "nvidia-l40s", supportsMig: false },
  "RTX PRO 4500": { acceleratorLabel: "nvidia-rtx-pro-4500", supportsMig: false },
  "RTX PRO Server 6000": { acceleratorLabel: "nvidia-rtx-pro-server-6000", supportsMig: true },
  A100: { acceleratorLabel: "nvidia-tesla-a100", supportsMig: true },
  H100: { acceleratorLabel: "nvidia-h100", supportsMig: true },
  H200: { acceleratorLabel: "nvidia-h200", supportsMig: true },
  B200: { acceleratorLabel: "nvidia-b200", supportsMig: true },
  B300: { acceleratorLabel: "nvidia-b300", supportsMig: true },
};

/** @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html */
const quotaCodes = {
  p: { onDemand: "L-417A185B", spot: "L-7212CCBC" },
  g: { onDemand: "L-DB2E81BA", spot: "L-3819A6DF" },
  standard: { onDemand: "L-1216C47A", spot: "L-34B43A08" },
} as const;

/** The instances that count against a quota for GPU types. */
export interface QuotaScope {
  /** Patterns of instance types, for EC2's filter `instance-type`. */
  readonly types: readonly string[];
  readonly spot: boolean;
}

/** What counts against a quota for GPU types; undefined for any other quota. */
export function quotaScope(code: string): QuotaScope | undefined {
  if (Object.values<string>(quotaCodes.g).includes(code)) {
    return { types: ["g*", "vt*"], spot: code === quotaCodes.g.spot };
  }
  return Object.values<string>(quotaCodes.p).includes(code)
    ? { types: ["p*"], spot: code === quotaCodes.p.spot }
    : undefined;
}

/**
 * The release that contains drivers 595 and 580 and selects one by instance type at the first boot.
 * @see https://github.com/awslabs/amazon-eks-ami/issues/2768
 */
const minimumAmiDates: Readonly<Record<string, string>> = { g7: "20260917" };

const rows = new Map((data.rows as Row[]).map((row) => [row[0], row]));

/** Every instance type of the catalog, GPU types first. */
export const instanceTypeNames: readonly string[] = [...rows.keys()];

/** The facts of an instance type; undefined for one that the catalog does not list. */
export function instanceType(name: string): InstanceType | undefined {
  const row = rows.get(name);
  return row && read(row);
}

/** EC2 families with NVIDIA GPUs: g, gr or p with a number. g4ad has AMD GPUs. */
const nvidiaFamily = /^(g(?!4ad)|gr|p)\d/;

/** Whether an instance type has NVIDIA GPUs. For a type that the catalog does not list, its family decides. */
export function hasNvidiaGpu(name: string): boolean {
  const listed = instanceType(name);
  return listed ? listed.gpus > 0 : nvidiaFamily.test(name);
}

function read(row: Row): InstanceType {
  const [
    name,
    architecture,
    vcpus,
    memoryGiB,
    share,
    gpuModel,
    gpuMemoryMiB,
    localNvmeGB,
    efaInterfaces,
    networkCards,
    networkInterfaces,
    ipv4PerInterface,
  ] = row;
  const family = name.slice(0, name.indexOf("."));
  const minimumAmiDate = minimumAmiDates[family];
  return {
    name,
    family,
    architecture,
    vcpus,
    memoryGiB,
    ...gpuFacts(share, gpuModel, gpuMemoryMiB),
    localNvmeGB,
    efaInterfaces,
    networkCards,
    maxPods: networkInterfaces * (ipv4PerInterface - 1) + 2,
    networkInterfaces,
    ipv4PerInterface,
    amiType: `AL2023_${architecture === "arm64" ? "ARM" : "x86"}_64_${gpuModel === null ? "STANDARD" : "NVIDIA"}`,
    quotaCodes: quotaCodes[gpuModel === null ? "standard" : family.startsWith("p") ? "p" : "g"],
    ...(minimumAmiDate && { minimumAmiDate }),
  };
}

/** Facts of a type's GPUs: how many a node advertises, their model and memory. */
function gpuFacts(share: number, gpuModel: string | null, gpuMemoryMiB: number | null) {
  const model = gpuModel === null ? undefined : gpuModels[gpuModel];
  return {
    gpus: Math.ceil(share),
    ...(share > 0 && share < 1 && { gpuFraction: share }),
    ...(gpuModel !== null && { gpuModel }),
    ...(gpuMemoryMiB !== null && { gpuMemoryGiB: Math.round(gpuMemoryMiB / 102.4) / 10 }),
    ...(model && { acceleratorLabel: model.acceleratorLabel }),
    supportsMig: model?.supportsMig ?? false,
  };
}

/** The name of an instance type for GPU nodes, or for system nodes. */
export function instanceTypeName(use: "gpu" | "system") {
  const example = use === "gpu" ? "g5.xlarge" : "t3.medium";
  return v.pipe(
    s.text(`set {path} to a type such as "${example}"`),
    s.check((got: string, path) => instanceTypeProblems(path, got, use, example)),
  );
}

function instanceTypeProblems(path: string, got: string, use: "gpu" | "system", example: string): Problem[] {
  const found = instanceType(got);
  if (!found) return [unknownType(path, got, use, example)];
  if (use === "gpu" && found.gpus === 0) {
    const fix = `choose a GPU type such as "${example}", or create the nodes with SystemNodeGroup`;
    return [{ code: "not-allowed", path, got, why: "This instance type has no GPU.", fix }];
  }
  if (use === "system" && found.gpus > 0) {
    const why = "This instance type has a GPU, and system nodes run an AMI without the NVIDIA driver.";
    const fix = `choose a type such as "${example}", or create the nodes with GpuNodeGroup`;
    return [{ code: "not-allowed", path, got, why, fix }];
  }
  return [];
}

function unknownType(path: string, got: string, use: "gpu" | "system", example: string): Problem {
  const candidates = instanceTypeNames.filter((name) => (instanceType(name)?.gpus !== 0) === (use === "gpu"));
  const families = [...new Set(candidates.map((name) => name.slice(0, name.indexOf("."))))].join(", ");
  const meant = nearest(got, candidates);
  const why = `The catalog of ${data.collected} has no such ${use === "gpu" ? "GPU " : ""}instance type.`;
  const fix = meant ? `did you mean "${meant}"?` : `choose a type such as "${example}"; families: ${families}`;
  return { code: "not-allowed", path, got, why, fix };
}
