import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import * as v from "valibot";
import { kubernetesMinor, objectName } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { join } from "../../core/reader/paths";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { tagMap } from "../../core/tokens";
import { transformOf, type Transform } from "../../core/transform";
import { kubernetesVersion } from "../../core/versions";
import { gpuLabels, storageConflicts, whyDisk } from "../gpu-node-group-schema";
import { amiReleaseConflicts, amiReleaseFor } from "../machine/ami-releases";
import { instanceType, instanceTypeName, type InstanceType } from "../machine/instance-types";
import { gpuNodeTools, packageList } from "../machine/user-data";
import { diskSize, podCount, podCountConflicts, releaseVersion, resourceId, resourceIds } from "../node-group-schema";
import { labelConflicts, labelMap, type Labels } from "../scheduling/labels";
import { gpuTaint, mergeTaints, taintConflicts, taintList } from "../scheduling/taints";

/** Adjusts each underlying object before it is created. */
export interface GpuNodePoolTransform {
  readonly nodePool?: Transform<CustomResourceArgs>;
  readonly nodeClass?: Transform<CustomResourceArgs>;
}

/** EKS Auto Mode ends every node after 21 days. @see https://docs.aws.amazon.com/eks/latest/userguide/automode-learn-instances.html */
const longestAutoMode = 21 * 24;

/** Settings that limit the nodes of a pool, and describe them to pods. */
const limits = {
  /** EC2 types with NVIDIA GPUs; the provisioner starts the cheapest that fits. @default ["g5.xlarge"] - the cheapest type with an A10G */
  instanceTypes: s.optional(s.list(instanceTypeName("gpu"), '["g5.xlarge"]', { notEmpty: true, distinct: true }), [
    "g5.xlarge",
  ]),
  /**
   * Maximum number of GPUs of all nodes together: `limits` of the NodePool. With 0, no node starts, and running nodes
   * stay.
   * @default 2 - two g5.xlarge fit a quota of 8 vCPUs
   */
  gpuLimit: s.optional(s.wholeNumber({ min: 0, unit: "GPUs" }), 2),
  /**
   * How instances are bought: `ON_DEMAND` or `SPOT`.
   * @default "ON_DEMAND" - a training job is not interrupted
   */
  capacityType: s.optional(s.oneOf(["ON_DEMAND", "SPOT"]), "ON_DEMAND"),
  /**
   * Availability Zone of the nodes. The subnet decides it already; `nodeClassName` requires it.
   * @default the zone of the subnet - nodes of one zone reach each other at full speed and without cost
   */
  zone: s.optional(
    s.matching(/^[a-z]{2}(-[a-z]+)+-\d[a-z]$/, "the name of a zone", "set {path} to a name such as ap-northeast-2a"),
  ),
  /**
   * Hours after which a node is terminated with its pods, 1 to 720, even in the middle of a training job. While pods
   * wait, a new node replaces it, so this limits the cost of a forgotten node, but not of a waiting pod. EKS Auto Mode
   * accepts at most 504.
   * @default 24 - a forgotten node is terminated within a day
   */
  expireAfterHours: s.optional(s.wholeNumber({ min: 1, max: 720, unit: "hours" }), 24),
  /**
   * Minutes for which pods can delay the termination of their node, 1 to 1440. After that they are deleted, in spite of
   * a PodDisruptionBudget or `karpenter.sh/do-not-disrupt`.
   * @default 30 - without a limit, one pod can keep an expired node forever
   */
  terminationGracePeriodMinutes: s.optional(s.wholeNumber({ min: 1, max: 1440, unit: "minutes" }), 30),
  /**
   * `WhenEmptyOrUnderutilized` also terminates nodes in use, to move their pods to fewer or cheaper nodes.
   * @default "WhenEmpty" - a training pod does not move
   */
  consolidationPolicy: s.optional(s.oneOf(["WhenEmpty", "WhenEmptyOrUnderutilized"]), "WhenEmpty"),
  /**
   * Minutes after which a node without pods, except DaemonSet pods, is terminated, 1 to 1440.
   * @default 10 - like the Cluster Autoscaler
   */
  consolidateAfterMinutes: s.optional(s.wholeNumber({ min: 1, max: 1440, unit: "minutes" }), 10),
  /**
   * Nodes in use that may be terminated at the same time because the pool changed, for example its AMI, or to
   * consolidate. Empty nodes are always terminated, and expiry has no such limit.
   * @default 0 - a change reaches new nodes only, and pods run until their node expires
   */
  maxDisruptedNodes: s.optional(s.wholeNumber({ min: 0, unit: "nodes" }), 0),
  /**
   * Labels in addition to the pool's own (`tier`, `nvidia.com/gpu`, `k8s.amazonaws.com/accelerator`).
   * @default {} - the labels of the pool are sufficient
   */
  labels: s.optional(labelMap(), {}),
  /**
   * Taints in addition to `nvidia.com/gpu=true:NoSchedule`, which is always set.
   * @default [] - every GPU workload may use the nodes
   */
  taints: s.optional(taintList(), []),
  /**
   * Taints that something in the cluster removes once a node is ready. Pods need not tolerate them for a node to start. If
   * nothing removes them, the node costs money and no pod starts on it.
   * @default [] - the GPU Operator and EKS Auto Mode advertise the GPU when it is ready, and pods wait for that
   */
  startupTaints: s.optional(taintList(), []),
};

/** Settings of the node class that the component creates: of both provisioners, of Karpenter, and of EKS Auto Mode. */
const classSettings = {
  both: {
    /** One private subnet. Required unless `nodeClassName` is set. @default none - there is no subnet to assume */
    subnetId: s.optional(resourceId("the id of one private subnet")),
    /** Security groups of the nodes. Required unless `nodeClassName` is set. @default none - there is no group to assume */
    securityGroupIds: s.optional(resourceIds('["sg-0123456789abcdef0"]')),
    /** Volume for images and pods in GiB, 100 to 16384; with Karpenter the encrypted gp3 root volume. @default 100 - a few images with CUDA fit */
    diskSizeGiB: s.optional(diskSize(100, whyDisk)),
    /**
     * Tags of instances and volumes. `expires-at` is left out, because another value would replace the nodes. EKS Auto
     * Mode needs permission for them in the role of the cluster.
     * @default none - the tags of the provisioner are set
     */
    tags: s.optional(v.pipe(tagMap(), s.check(tagConflicts))),
  },
  karpenter: {
    /** Instance profile of the nodes, such as the profile of `Karpenter`. @default none - Karpenter requires one */
    instanceProfileName: s.optional(resourceId("the name of an instance profile")),
    /** The cluster's minor version, such as `1.35`: the nodes run the same. @default none - Karpenter requires it */
    kubernetesVersion: s.optional(kubernetesMinor()),
    /** AMI release such as `1.35.8-20260930`; it determines the NVIDIA driver. @default the release pinned for the Kubernetes version - it never floats */
    releaseVersion,
    /**
     * `raid0` puts images, pods' disks and logs on the instance store, which is faster and is lost with the node.
     * @default "none" - data survives a stop
     */
    localStorage: s.optional(s.oneOf(["none", "raid0"])),
    /** Pods that a node accepts: 1 to 110, or to 250 on types with 30 vCPUs and more. @default what EKS counts - as many as the type has addresses for */
    maxPods: s.optional(podCount()),
    /** Packages of Amazon Linux 2023 to install at boot. @default the packages of a GpuNodeGroup - to inspect a node */
    tools: s.optional(packageList()),
  },
  autoMode: {
    /** Role of the nodes, with an access entry of the type EC2. @default none - EKS Auto Mode requires one */
    nodeRoleName: s.optional(resourceId("the name of the nodes' role")),
  },
};

const poolSection = s.section({
  /**
   * The provisioner of the nodes: `karpenter`, which runs in the cluster, or `autoMode` of EKS.
   * @default "karpenter" - it runs on every cluster, with the AMI and the GPU Operator of the managed node groups
   */
  provisioner: s.optional(s.oneOf(["karpenter", "autoMode"]), "karpenter"),
  ...limits,
  ...classSettings.both,
  ...classSettings.karpenter,
  ...classSettings.autoMode,
  /**
   * An existing node class, such as `default` of EKS Auto Mode. The arguments of a node class must then be left out.
   * @default none - the component creates one
   */
  nodeClassName: s.optional(objectName("default")),
  /** Adjusts the underlying objects. @default none - none is adjusted */
  transform: s.optional(transformOf<GpuNodePoolTransform>({ nodePool: true, nodeClass: true })),
});

type Values = ValueOf<typeof poolSection>;

/** Arguments of a GpuNodePool. */
export const gpuNodePool = v.pipe(poolSection, s.check(poolConflicts));

export interface GpuNodePoolArgs extends Readonly<GivenOf<typeof gpuNodePool>> {}

export const gpuNodePoolDefaults = defaultsOf(poolSection);

/** Every problem in the arguments. `at` is the prefix of the paths. */
export function gpuNodePoolProblems(args: GpuNodePoolArgs, at = ""): readonly Problem[] {
  return problemsIn(gpuNodePool, args, at);
}

/** Tags that Karpenter sets itself, and by which its permissions are limited. */
function tagConflicts(tags: Readonly<Record<string, unknown>>, at: string): Problem[] {
  const own = /^(?:eks:eks-cluster-name$|kubernetes\.io\/cluster|karpenter\.)/;
  return Object.keys(tags).flatMap((key): Problem[] => {
    if (!own.test(key)) return [];
    const why = "The provisioner sets this tag itself, and finds its instances by it.";
    return [{ code: "not-allowed", path: `${at}.${key}`, got: tags[key], why, fix: "choose another key" }];
  });
}

/** Arguments that contradict each other. */
function poolConflicts(pool: Values, at: string): Problem[] {
  const types = typesOf(pool);
  const path = (key: keyof Values) => join(at, key);
  return [
    ...limitConflicts(pool, types, at),
    ...fractionConflicts(pool.instanceTypes, path("instanceTypes")),
    ...classConflicts(pool, at),
    ...releaseConflicts(pool, types, path("releaseVersion")),
    ...labelConflicts(pool.labels, path("labels"), poolLabels(types)),
    ...provisionerLabels(pool.labels, path("labels")),
    ...taintConflicts(pool.taints, path("taints"), [gpuTaint]),
    ...taintConflicts(pool.startupTaints, path("startupTaints"), mergeTaints([gpuTaint], pool.taints)),
    ...types.flatMap((type) => [
      ...podCountConflicts(pool.maxPods, path("maxPods"), type.name),
      ...storageConflicts(pool.localStorage ?? "none", path("localStorage"), type),
    ]),
  ];
}

function typesOf({ instanceTypes }: Pick<Values, "instanceTypes">): InstanceType[] {
  return instanceTypes.flatMap((name) => instanceType(name) ?? []);
}

function limitConflicts(pool: Values, types: readonly InstanceType[], at: string): Problem[] {
  const { gpuLimit, expireAfterHours, provisioner } = pool;
  const path = join(at, "gpuLimit");
  const tooLarge = types.filter(({ gpus }) => gpuLimit > 0 && gpus > gpuLimit);
  const isTooLong = provisioner === "autoMode" && expireAfterHours > longestAutoMode;
  return [
    ...tooLarge.map(({ name, gpus }): Problem => {
      const why = `${name} has ${gpus} GPUs, so it never starts: its pods wait without an error.`;
      const fix = `set ${path} to ${gpus} or more, or remove ${name} from ${join(at, "instanceTypes")}`;
      return { code: "conflict", path, got: gpuLimit, why, fix };
    }),
    ...(isTooLong ? [tooLong(join(at, "expireAfterHours"), expireAfterHours)] : []),
  ];
}

/**
 * g6f and gr6f. Of all types with GPUs, EC2 reports the count 0 for these only (2026-07-28).
 * @see https://github.com/aws/karpenter-provider-aws/issues/8368
 */
export const whyNoFraction =
  "EC2 reports 0 GPUs for a part of a GPU: no node starts for a pod that requests a GPU, and the limit does not count it.";

function fractionConflicts(names: readonly string[], at: string): Problem[] {
  return names.flatMap((got, index): Problem[] => {
    if (instanceType(got)?.gpuFraction === undefined) return [];
    const fix = 'choose a type with whole GPUs, such as "g6.xlarge"';
    return [{ code: "not-allowed", path: `${at}[${index}]`, got, why: whyNoFraction, fix }];
  });
}

function tooLong(path: string, got: number): Problem {
  const why = `EKS Auto Mode terminates every node after ${longestAutoMode} hours.`;
  return { code: "out-of-range", path, got, why, fix: `set ${path} to ${longestAutoMode} or less` };
}

/** Arguments of a node class that are missing, or that would have no effect. */
function classConflicts(pool: Values, at: string): Problem[] {
  const { provisioner, nodeClassName } = pool;
  const other = provisioner === "karpenter" ? "autoMode" : "karpenter";
  const keys = (kind: keyof typeof classSettings) => Object.keys(classSettings[kind]) as (keyof Values)[];
  const isSet = (key: keyof Values) => pool[key] !== undefined;
  const unused = (key: keyof Values, why: string): Problem => {
    const path = join(at, key);
    return { code: "conflict", path, got: pool[key], why, fix: `remove ${path}` };
  };
  const misplaced = keys(other).filter(isSet);
  const ofOther = misplaced.map((key) => unused(key, `Applies only to the provisioner ${other}.`));
  if (nodeClassName !== undefined) {
    const own = [...keys("both"), ...keys(provisioner)].filter(isSet);
    const why = `The node class ${nodeClassName} sets this, and this component does not change the node class.`;
    return [...ofOther, ...own.map((key) => unused(key, why)), ...missing(pool, ["zone"], at)];
  }
  return [...ofOther, ...missing(pool, ["subnetId", "securityGroupIds", ...neededBy[provisioner]], at)];
}

/** What a node class of each provisioner also needs. */
const neededBy = { karpenter: ["instanceProfileName", "kubernetesVersion"], autoMode: ["nodeRoleName"] } as const;

const fixes: Partial<Record<keyof Values, string>> = {
  subnetId: "the id of one private subnet",
  securityGroupIds: 'a list such as ["sg-0123456789abcdef0"]',
  instanceProfileName: "the name of an instance profile, such as instanceProfileName of Karpenter",
  kubernetesVersion: `the cluster's version in quotes, e.g. "${kubernetesVersion}"`,
  nodeRoleName: "the name of the nodes' role",
  zone: "the name of a zone, such as ap-northeast-2a: the node class may have subnets in several zones",
};

function missing(pool: Values, keys: readonly (keyof Values)[], at: string): Problem[] {
  return keys
    .filter((key) => pool[key] === undefined)
    .map((key) => {
      const path = join(at, key);
      return { code: "missing", path, got: undefined, why: "Must be set.", fix: `set ${path} to ${fixes[key]}` };
    });
}

/** The same problem of a release counts once, although each instance type has it. */
function releaseConflicts(pool: Values, types: readonly InstanceType[], path: string): Problem[] {
  const { kubernetesVersion: minor, provisioner } = pool;
  if (minor === undefined || provisioner !== "karpenter") return [];
  const found = types.flatMap((type) =>
    amiReleaseConflicts(pool.releaseVersion, path, { kubernetesVersion: minor, amiType: type.amiType, type }),
  );
  return [...new Map(found.map((problem) => [problem.why, problem])).values()];
}

/** Karpenter and EKS Auto Mode accept no other labels of their own domain. */
function provisionerLabels(labels: Labels, at: string): Problem[] {
  return Object.entries(labels).flatMap(([key, got]): Problem[] => {
    if (!/^(?:[^/]+\.)?karpenter\.(?:sh|k8s\.aws)\//.test(key)) return [];
    const why = "Labels of this domain belong to Karpenter: the API server rejects the NodePool.";
    return [{ code: "not-allowed", path: `${at}["${key}"]`, got, why, fix: "use your own domain" }];
  });
}

/** The labels of every GPU node. That of the accelerator only where all types have the same. */
function poolLabels(types: readonly InstanceType[]): Labels {
  const [first, ...others] = types;
  const isCommon = others.every(({ acceleratorLabel }) => acceleratorLabel === first?.acceleratorLabel);
  return gpuLabels(isCommon ? first : undefined);
}

/** The complete settings: every label and taint, and those of the node class that the component creates. */
export function completePool<T extends Values>(pool: T) {
  const { nodeClassName, provisioner } = pool;
  const isOwn = nodeClassName === undefined;
  const taints = mergeTaints([gpuTaint], pool.taints);
  return {
    ...pool,
    labels: { ...poolLabels(typesOf(pool)), ...pool.labels },
    taints,
    startupTaints: mergeTaints(taints, pool.startupTaints).slice(taints.length),
    ...(isOwn && { diskSizeGiB: pool.diskSizeGiB ?? 100 }),
    ...(isOwn &&
      provisioner === "karpenter" && {
        releaseVersion: amiReleaseFor(pool.releaseVersion, pool.kubernetesVersion ?? ""),
        localStorage: pool.localStorage ?? "none",
        tools: pool.tools ?? gpuNodeTools,
      }),
  };
}

/** The arguments with every choice made. */
export type CompletePool = ReturnType<typeof completePool<Values>>;
