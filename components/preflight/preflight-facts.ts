/** What an environment is about to ask of a region and an account. */
export interface CapacityRequest {
  readonly clusterName: string;
  readonly admins: readonly string[];
  /** The zones the environment names itself, in order; otherwise the region's first three. */
  readonly zones?: readonly string[];
  readonly systemInstanceType: string;
  readonly instanceType: string;
  readonly azIndex: number;
  readonly maxSize: number;
  readonly vcpusPerNode: number;
  /**
   * Service Quotas code of the vCPU limit that the GPU type counts against, e.g. L-DB2E81BA for G and VT on demand;
   * none for Capacity Blocks.
   */
  readonly quotaCode?: string;
  /** The log group that the environment makes for the control plane; none where it writes no logs. */
  readonly logGroupName?: string;
  /** The KMS key for Kubernetes Secrets, where it is there already. */
  readonly secretsKeyArn?: string;
  /** The node groups whose desired size Pulumi leaves to others. */
  readonly scaledGroups?: readonly ScaledGroup[];
}

/** A node group as the environment wants it. */
export interface ScaledGroup {
  /** Where the arguments hold it. */
  readonly section: "systemNodes" | "gpuNodes";
  /** What its name begins with; EKS's names are unique by what follows. */
  readonly namePrefix: string;
  readonly minSize: number;
  readonly maxSize: number;
}

/** A node group as it is. */
export interface RunningGroup {
  readonly name: string;
  readonly desiredSize: number;
  readonly minSize: number;
  readonly maxSize: number;
}

/** What AWS answered. A part that could not be read is missing, and is not judged. */
export interface PreflightFacts {
  readonly zones?: readonly string[];
  /** Instance type to the zones that offer it. */
  readonly offerings?: Readonly<Record<string, readonly string[]>>;
  readonly quotaVcpus?: number;
  /** ARN of the IAM role or user that runs the program. */
  readonly callerArn?: string;
  readonly clusterNames?: readonly string[];
  /** The provider's region. */
  readonly region?: string;
  /** Whether a log group has the name of ours and is none of ours, while there is no cluster of the name. */
  readonly strayLogGroup?: boolean;
  /** The {@link ScaledGroup}s that are there, by section. */
  readonly runningGroups?: Readonly<Partial<Record<ScaledGroup["section"], RunningGroup | undefined>>>;
}
