import { GpuEnvironment, Karpenter, type GpuEnvironmentArgs } from "../../../components";
import { inDays } from "../../../components/core/faults";
import { LabLease } from "../../../components/lease/lab-lease";

/** A program, and the region that it runs in. */
export interface AwsProgram {
  readonly region?: string;
  readonly run: () => void;
}

const seoul = "ap-northeast-2";

function environment(args: Partial<GpuEnvironmentArgs>, region = seoul): AwsProgram {
  return { region, run: () => void new GpuEnvironment("lab", { publicAccessCidrs: ["1.2.3.4/32"], ...args }) };
}

const longTags = Object.fromEntries(
  [...Array(40).keys()].map((n) => [`${n}-${"k".repeat(125)}`.slice(0, 128), "Team 1 + 2/=:@._-".padEnd(256, "v")]),
);
const alarmTopicArns = [`arn:aws:sns:${seoul}:123456789012:labs`];
const expiresAt = inDays(7, new Date());
const reservation = { id: "cr-0123456789abcdef0" };
const reservations = `arn:aws:resource-groups:${seoul}:123456789012:group/gpu`;
const keyArn = `arn:aws:kms:${seoul}:123456789012:key/01234567-89ab-cdef-0123-456789abcdef`;
const efa = { instanceType: "p5.48xlarge", efa: true, placementGroup: "training" } as const;
const controllers = {
  loadBalancerController: { install: true },
  clusterAutoscaler: { install: true },
  externalDns: { hostedZoneIds: ["Z0123456789"] },
};
const existing = {
  vpcId: "vpc-0123456789abcdef0",
  cidrBlock: "10.0.0.0/16",
  zones: ["ap-northeast-2a", "ap-northeast-2c"],
  publicSubnetIds: [],
  privateSubnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
};
const everything: Partial<GpuEnvironmentArgs> = {
  network: { natGateways: "perAz", flowLogs: true, interfaceEndpoints: true },
  admins: ["arn:aws:iam::123456789012:role/admin", "arn:aws:iam::123456789012:user/ops"],
  controllers,
  gpuNodes: efa,
  controlPlaneLogs: ["api", "audit", "authenticator", "controllerManager", "scheduler"],
  lease: { expiresAt, alarmTopicArns, budget: { amountPerMonth: 100, emails: ["lab@example.com"] } },
};
/** Admins, topics and keys have ARNs of one partition. */
const elsewhere = (partition: string, region: string) =>
  environment(
    {
      ...everything,
      admins: [`arn:${partition}:iam::123456789012:role/admin`],
      gpuNodes: { efa: false },
      lease: { expiresAt, alarmTopicArns: [`arn:${partition}:sns:${region}:123456789012:labs`] },
    },
    region,
  );

/** The lease of other groups, with the longest names. */
function lease(region: string): AwsProgram {
  const nodeGroups = { ["g".repeat(50)]: { nodeGroupName: "n".repeat(63), maxSize: 450 } };
  const run = () => {
    new LabLease("lease", {
      ...{ clusterName: "c".repeat(100), nodeGroups, timeZone: "America/Argentina/ComodRivadavia" },
      ...{ expiresAt, budget: { amountPerMonth: 1_000_000, emails: ["lab@example.com"] } },
    });
  };
  return { region, run };
}

function karpenter(region: string, clusterName = "c".repeat(100)): AwsProgram {
  return { region, run: () => void new Karpenter("karpenter", { clusterName, tags: { Team: "a" } }) };
}

/** Programs with every choice that changes what is requested of AWS. */
export const programs: Readonly<Record<string, AwsProgram>> = {
  "the defaults": environment({}),
  everything: environment(everything),
  "the longest names": environment({ ...everything, clusterName: "c".repeat(26), tags: longTags }),
  spot: environment({ gpuNodes: { capacityType: "SPOT" } }),
  "a capacity reservation": environment({ gpuNodes: { capacityReservation: reservation } }),
  "a group of capacity reservations": environment({
    gpuNodes: { ...efa, capacityReservation: { resourceGroupArn: reservations } },
  }),
  "a Capacity Block": environment({
    gpuNodes: { ...efa, capacityType: "CAPACITY_BLOCK", capacityReservation: reservation, maxSize: 4 },
  }),
  "an instance store, pods, taints, labels and the largest group": environment({
    gpuNodes: {
      ...{ localStorage: "raid0", maxPods: 110, diskSizeGiB: 16_384, maxSize: 450, desiredSize: 1, minSize: 1 },
      taints: [{ key: "team", value: "a", effect: "NO_EXECUTE" }],
      labels: { team: "a" },
    },
  }),
  "node repair": environment({
    gpuHealth: {
      repair: {
        ...{ maxParallel: "50%", maxUnhealthy: 1 },
        overrides: [{ condition: "Ready", reason: "KubeletNotReady", waitMinutes: 10, action: "Replace" }],
      },
    },
  }),
  "EKS Auto Mode": environment({ gpuNodes: { provisioner: "autoMode" }, tags: longTags }),
  "no key for Secrets": environment({ secretsKey: "none" }),
  "a key for Secrets that exists": environment({ secretsKey: keyArn }),
  "owner pulumi": environment({ gpuNodes: { owner: "pulumi" }, systemNodes: { owner: "pulumi" } }),
  "owner autoscaler": environment({ gpuNodes: { owner: "autoscaler" }, controllers }),
  "an existing network": environment({ network: { existing } }),
  "one zone without NAT gateways": environment({ network: { natGateways: "none", interfaceEndpoints: true } }),
  "closed NCCL ports": environment({ nccl: "blocked" }),
  monitoring: environment({ monitoring: { enabled: true } }),
  "AWS GovCloud (US)": elsewhere("aws-us-gov", "us-gov-west-1"),
  China: elsewhere("aws-cn", "cn-northwest-1"),
  "a region with a long name": environment({}, "ap-southeast-2"),
  "a lease": lease(seoul),
  "a lease in AWS GovCloud (US)": lease("us-gov-west-1"),
  "a lease in China": lease("cn-north-1"),
  Karpenter: karpenter(seoul),
  "Karpenter in China": karpenter("cn-north-1", "gpu-lab"),
};
