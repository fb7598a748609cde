import type { ChangeRequest, RunningEnvironment } from "./running-environment";
import type { SecondGroups } from "./preflight-leftovers";

/** The capacity that an environment needs from a region and an account. */
export interface CapacityRequest {
  readonly clusterName: string;
  readonly admins: readonly string[];
  /** The zones of the environment, in order. @default the first three zones of the region */
  readonly zones?: readonly string[];
  readonly systemInstanceType: string;
  readonly instanceType: string;
  readonly azIndex: number;
  readonly maxSize: number;
  readonly vcpusPerNode: number;
  /**
   * Service Quotas code of the vCPU quota of the GPU instance type, such as L-DB2E81BA for G and VT on demand; none for
   * Capacity Blocks.
   */
  readonly quotaCode?: string;
  /** The log group that the environment creates for the control plane; none without control plane logs. */
  readonly logGroupName?: string;
  /** The existing KMS key for Kubernetes Secrets. */
  readonly secretsKeyArn?: string;
  /** The node groups whose desired size Pulumi does not manage. */
  readonly scaledGroups?: readonly ScaledGroup[];
  /** What is compared with an environment that exists. Without it, the changes of an environment are not checked. */
  readonly change?: ChangeRequest;
}

/** The size limits of a node group in the arguments. */
export interface ScaledGroup {
  /** The argument that contains it. */
  readonly section: "systemNodes" | "gpuNodes";
  /** The prefix of its name; EKS appends a unique suffix. */
  readonly namePrefix: string;
  readonly minSize: number;
  readonly maxSize: number;
}

/** An existing node group. */
export interface RunningGroup {
  readonly name: string;
  readonly desiredSize: number;
  readonly minSize: number;
  readonly maxSize: number;
}

/** The answers of AWS. A part that cannot be read is missing; its checks are skipped. */
export interface PreflightFacts {
  readonly zones?: readonly string[];
  /** Zones by the instance type that they offer. */
  readonly offerings?: Readonly<Record<string, readonly string[]>>;
  readonly quotaVcpus?: number;
  /** ARN of the IAM role or user that runs the program. */
  readonly callerArn?: string;
  readonly clusterNames?: readonly string[];
  /** The provider's region. */
  readonly region?: string;
  /** Whether the log group exists without its cluster and was not created by this program. */
  readonly strayLogGroup?: boolean;
  /** The existing {@link ScaledGroup}s, by section. */
  readonly runningGroups?: Readonly<Partial<Record<ScaledGroup["section"], RunningGroup | undefined>>>;
  /** The environment that the update would change. */
  readonly running?: RunningEnvironment;
  /** Sections with several node groups, of which an interrupted update may have left one. */
  readonly secondGroups?: readonly SecondGroups[];
}
