import type { EnvironmentSettings } from "../environment/gpu-environment-plan";
import type { GroupSizes } from "./running-group";

/** What a program knows about the environment that it changes, in addition to the arguments. */
export interface ChangeOptions {
  /**
   * Name of the `GpuEnvironment`, with which that of its NodePool begins.
   * @default none - every NodePool of the cluster with such an end counts as its own
   */
  readonly name?: string;
  /**
   * The cluster of the last update, as the stack exports it: `clusterName` of `GpuEnvironment.outputs`. Only with it, a
   * change of the cluster's name is found: AWS does not say to which stack a cluster belongs.
   */
  readonly formerClusterName?: string;
  /**
   * The AWS account of that cluster: `account` of `GpuEnvironment.outputs`. Without it, another account is noticed only by
   * the missing cluster.
   */
  readonly formerAccount?: string;
  /** The region of that cluster: `region` of `GpuEnvironment.outputs`. */
  readonly formerRegion?: string;
  /**
   * The value of the tag `eks-gpu-lab/stack` that the update sets.
   * @default none - the tag is not compared, and second addresses and launch templates are not searched
   */
  readonly stackTag?: string;
  /** What the user has confirmed. */
  readonly confirm?: Confirmations;
}

/** Confirmed changes. Each names what ends, so that it confirms nothing else; one that is not needed is a problem. */
export interface Confirmations {
  /** Name of the cluster that the update may replace, or try to; or that does not exist any more. */
  readonly replaceCluster?: string | undefined;
  /** Name of the node group whose running GPU nodes the update may terminate. */
  readonly endSession?: string | undefined;
}

/** What is compared with an environment that exists. */
export interface ChangeRequest extends ChangeOptions {
  readonly settings: EnvironmentSettings;
}

/** An existing environment, as AWS describes it. A part that cannot be read is missing; its checks are skipped. */
export interface RunningEnvironment {
  readonly clusterName: string;
  readonly network?: RunningNetwork;
  readonly secretsKey?: RunningKey;
  readonly gpuNodes?: RunningGpuNodes;
  readonly systemNodes?: RunningSystemNodes;
  /** Whether EKS Auto Mode is enabled. */
  readonly autoMode?: boolean;
}

/** The newest node group of a section, with what an update compares. */
export interface RunningNodes {
  readonly group: string;
  readonly instanceType?: string;
  readonly kubernetesVersion: string;
  readonly releaseVersion: string;
  readonly template?: RunningTemplate;
}

export interface RunningSystemNodes extends RunningNodes {
  /** Ids of the instances. Read only where the update would replace them. */
  readonly instances?: readonly string[];
}

/** The VPC of a cluster, with the subnets of the cluster and of its load balancers. */
export interface RunningNetwork {
  readonly vpcId: string;
  readonly cidr: string;
  /** Its tag Name. */
  readonly name?: string;
  /** Other VPCs with the same name. */
  readonly twins?: readonly string[];
  readonly subnets: readonly RunningSubnet[];
}

export interface RunningSubnet {
  readonly id: string;
  readonly zone: string;
  readonly cidr: string;
  /** The control plane has network interfaces in private subnets. */
  readonly kind: "public" | "private";
}

/** The key that encrypts the cluster's Secrets. */
interface RunningKey {
  /** Undefined for the key that EKS owns. */
  readonly arn?: string;
  /** Whether it is the key that the environment creates for this cluster. */
  readonly isOwn: boolean;
}

export interface RunningGpuNodes extends RunningNodes, GroupSizes {
  readonly amiType: string;
  readonly capacityType: string;
  readonly subnetId?: string;
  /** Read only where the update would end nodes. */
  readonly session?: GpuSession;
}

/** The values of the launch template that an argument sets. */
export interface RunningTemplate {
  readonly diskSizeGiB?: number;
  /** Base64. */
  readonly userData?: string;
  readonly efa: boolean;
  readonly placementGroup?: string;
  /** Id of the capacity reservation, or the ARN of a group of them. */
  readonly capacityReservation?: string;
  /** Tags of the instances. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The running GPU nodes and the pods that hold their GPUs. */
export interface GpuSession {
  /** Names of the nodes, or ids of the instances if the cluster cannot be read. */
  readonly nodes: readonly string[];
  /** Missing if the pods cannot be read. */
  readonly pods?: readonly GpuPod[];
  /** Why the pods cannot be read. */
  readonly unreadable?: string;
}

/** A pod that holds GPUs. */
export interface GpuPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly gpus: number;
}
