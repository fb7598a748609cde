import { addonPhase, knownAddons } from "../cluster/addons/addon-plan";
import { addonVersionProblems } from "../cluster/addons/addons-schema";
import { eksClusterProblems } from "../cluster/eks-cluster-schema";
import { kubernetesVersionProblems } from "../cluster/kubernetes-versions";
import { isPlainObject, join, noObject, oneOf, trueOrFalse, wholeNumber } from "../core/checks";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { nearest } from "../core/suggest";
import { clusterFacts, gpuFacts, gpuOperatorArgs } from "./cluster-facts";
import { environmentDefaults } from "./environment-defaults";
import type { EnvironmentMonitoring, GpuEnvironmentArgs, NetworkSettings } from "./gpu-environment-args";
import { controllerProblems } from "./gpu-environment-controllers";
import { azCount, defaultAddons } from "./gpu-environment-plan";
import { networkKeys, readSections } from "./gpu-environment-sections";
import { environmentTransformProblems } from "./gpu-environment-transform";
import { exactChartVersion, isOlder } from "../gpu/operator/compatibility";
import { gpuHealthProblems } from "../gpu/health/gpu-health";
import { gpuOperatorDefaults } from "../gpu/operator/gpu-operator-args";
import { gpuOperatorProblems } from "../gpu/operator/gpu-operator-rules";
import { monitoringProblems } from "../observe/monitoring/monitoring-rules";
import { existingNetworkProblems } from "../network/network";
import { vpcProblems } from "../network/vpc/vpc-schema";
import { gpuNodeGroupProblems } from "../nodes/gpu-node-group-schema";
import { nodeRepair } from "../nodes/node-repair";
import { problemsIn } from "../core/schema";
import type { Taint } from "../nodes/scheduling/taints";
import { systemNodeGroupProblems } from "../nodes/system-node-group-schema";

/** Every problem of the arguments, all parts at once; paths are the arguments' names, e.g. `gpuNodes.maxSize`. */
export function gpuEnvironmentProblems(args: GpuEnvironmentArgs): Problem[] {
  if (!isPlainObject(args)) return noObject("", args);
  const { problems, sound, complete } = readSections(args);
  const { kubernetesVersion = environmentDefaults.kubernetesVersion } = sound;
  // What must fit a version that is wrong itself cannot be told.
  const known = kubernetesVersionProblems("kubernetesVersion", kubernetesVersion).length === 0;
  // What has the wrong form counts as left out further on, and is not to be called missing or unknown again.
  const told = problems.map(({ path }) => path);
  const isTold = (path: string) => told.some((at) => path === at || path.startsWith(`${at}.`));
  const found = [
    ...partProblems(sound, kubernetesVersion, known),
    ...(complete
      ? betweenParts(legible(sound), known ? kubernetesVersion : environmentDefaults.kubernetesVersion)
      : []),
  ];
  return once([...problems, ...found.filter(({ path }) => !isTold(path))]);
}

/** Two parts may find the same fault in what they share. */
function once(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path}: ${problem.why}`, problem])).values()];
}

/** What each part finds in its own arguments. */
function partProblems(args: GpuEnvironmentArgs, kubernetesVersion: string, known: boolean): Problem[] {
  const { network, systemNodes, gpuNodes, gpuOperator, controllers, addons = {} } = args;
  const version = known ? kubernetesVersion : undefined;
  const cluster = known ? { kubernetesVersion } : {};
  return [
    ...clusterProblems(args, kubernetesVersion),
    ...networkProblems(network),
    ...systemNodeGroupProblems({ ...systemNodes, ...cluster }, "systemNodes"),
    ...gpuNodeGroupProblems({ ...gpuNodes, ...cluster }, "gpuNodes"),
    ...(args.nccl === undefined ? [] : oneOf("nccl", args.nccl, ["open", "blocked"])),
    ...(gpuOperator?.enabled === undefined ? [] : trueOrFalse("gpuOperator.enabled", gpuOperator.enabled)),
    ...environmentMonitoringProblems(args.monitoring),
    ...controllerProblems(controllers, version),
    ...addonProblems(addons, version),
    ...environmentTransformProblems(args),
  ];
}

/** Without what of the GPU nodes has no form to read: the check of the node group reports it. */
function legible({ gpuNodes, ...others }: GpuEnvironmentArgs): GpuEnvironmentArgs {
  if (!gpuNodes) return others;
  const { instanceType, taints, ...own } = gpuNodes;
  const given: unknown = taints;
  const isText = (value: unknown) => typeof value === "string";
  const hasForm = (taint: unknown): taint is Taint =>
    isRecord(taint) && isText(taint["key"]) && isText(taint["value"] ?? "") && isText(taint["effect"]);
  return {
    ...others,
    gpuNodes: {
      ...own,
      ...(typeof instanceType === "string" && { instanceType }),
      ...(Array.isArray(given) && { taints: given.filter(hasForm) }),
    },
  };
}

/** What the parts mean for each other. */
function betweenParts(args: GpuEnvironmentArgs, kubernetesVersion: string): Problem[] {
  return [
    ...azProblems(args),
    ...operatorProblems(args, kubernetesVersion),
    ...healthProblems(args),
    ...efaProblems(args),
    ...wayOutProblems(args),
    ...ownerProblems(args),
  ];
}

function environmentMonitoringProblems({ enabled, ...own }: EnvironmentMonitoring = {}): Problem[] {
  return [
    ...(enabled === undefined ? [] : trueOrFalse("monitoring.enabled", enabled)),
    ...monitoringProblems(own, "monitoring"),
  ];
}

function clusterProblems(args: GpuEnvironmentArgs, kubernetesVersion: string): Problem[] {
  const { network, systemNodes, gpuNodes, nccl, gpuOperator, gpuHealth, monitoring, ...others } = args;
  const { addons, controllers, transform, ...own } = others;
  const { clusterName = environmentDefaults.clusterName, admins = [] } = own;
  const anyNetwork = { vpcId: "vpc-00000000", subnetIds: ["a", "b"] };
  return [...eksClusterProblems({ ...own, admins, clusterName, kubernetesVersion, ...anyNetwork })];
}

/** What the operator is told of other parts, which report it themselves. */
const derived = ["taints", "migCapable", "controllerNodeSelector", "kubernetesVersion"];

/** Inside an environment the operator's `health` is the engine of `gpuHealth`. */
function operatorProblems(args: GpuEnvironmentArgs, kubernetesVersion: string): Problem[] {
  const renamed = (text: string) => text.replaceAll("gpuOperator.health", "gpuHealth.engine");
  const stated = args.gpuOperator?.enabled === true || args.gpuOperator?.chartVersion !== undefined;
  const found = gpuOperatorProblems(
    { ...gpuOperatorArgs(clusterFacts(args), args.gpuOperator), kubernetesVersion },
    "gpuOperator",
  )
    .filter(({ path }) => !derived.some((key) => path.startsWith(`gpuOperator.${key}`)))
    .map((problem) => ({
      ...problem,
      path: renamed(problem.path),
      why: renamed(problem.why),
      fix: renamed(problem.fix),
    }));
  // A default version that nobody installs need not fit.
  return stated ? found : found.filter(({ path, code }) => path !== "gpuOperator.chartVersion" || code !== "version");
}

/** Charts 26.3.0 to 26.3.2 put every ibverbs device of a node into every GPU pod, which disturbs NCCL over EFA. */
function efaProblems(args: GpuEnvironmentArgs): Problem[] {
  const { enabled, chartVersion = gpuOperatorDefaults.chartVersion } = args.gpuOperator ?? {};
  if (args.gpuNodes?.efa !== true || enabled !== true || typeof chartVersion !== "string") return [];
  if (exactChartVersion(chartVersion).length > 0 || !isOlder(chartVersion, "v26.3.3")) return [];
  const why = "With EFA this chart puts every ibverbs device of a node into every GPU pod; v26.3.3 mended it.";
  const fix = 'set gpuOperator.chartVersion to "v26.3.3"';
  return [{ code: "conflict", path: "gpuOperator.chartVersion", got: chartVersion, why, fix }];
}

/** Without a way out nodes pull from Amazon ECR alone, and the images of these releases are elsewhere. */
function wayOutProblems({ network, gpuOperator, monitoring, controllers }: GpuEnvironmentArgs): Problem[] {
  if (network?.natGateways !== "none") return [];
  const outside: Readonly<Record<string, boolean>> = {
    "gpuOperator.enabled": gpuOperator?.enabled === true && gpuOperator.repository === undefined,
    "monitoring.enabled": monitoring?.enabled === true,
    "controllers.loadBalancerController.install": controllers?.loadBalancerController?.install === true,
    "controllers.clusterAutoscaler.install": controllers?.clusterAutoscaler?.install === true,
  };
  const why = "Its images come from outside AWS, and with network.natGateways none no node reaches them.";
  const fix = 'set network.natGateways to "single", or leave it off';
  return Object.keys(outside).flatMap((path): Problem[] =>
    outside[path] ? [{ code: "conflict", path, got: true, why, fix }] : [],
  );
}

function networkProblems(network: NetworkSettings | undefined): Problem[] {
  const { existing, ...own } = network ?? {};
  if (existing === undefined) return [...vpcProblems(own, "network")];
  const others = Object.entries(own).filter(([key, value]) => value !== undefined && networkKeys.includes(key));
  return [
    ...existingNetworkProblems(existing, "network.existing"),
    ...others.map(([key, got]): Problem => ({
      code: "conflict",
      path: join("network", key),
      got,
      why: "It describes a VPC to make, and network.existing says to make none.",
      fix: "remove one of the two",
    })),
  ];
}

function azProblems(args: GpuEnvironmentArgs): Problem[] {
  const { azIndex = environmentDefaults.azIndex } = args.gpuNodes ?? {};
  return wholeNumber("gpuNodes.azIndex", azIndex, { min: 0, max: azCount(args.network) - 1 });
}

function healthProblems(args: GpuEnvironmentArgs): Problem[] {
  const { engine = environmentDefaults.engine, repair } = args.gpuHealth ?? {};
  const given: unknown = gpuFacts(args).maxSize;
  const maxSize = typeof given === "number" ? given : undefined;
  return [
    ...gpuHealthProblems(
      { engine, repair: repair !== undefined, architecture: gpuFacts(args).architecture },
      "gpuHealth",
    ),
    ...(repair === undefined ? [] : problemsIn(nodeRepair, repair, "gpuHealth.repair")),
  ];
}

/** An installed autoscaler resizes every managed group of the cluster; Pulumi would set each back. */
function ownerProblems({ controllers, systemNodes, gpuNodes }: GpuEnvironmentArgs): Problem[] {
  if (controllers?.clusterAutoscaler?.install !== true) return [];
  return Object.entries({ systemNodes, gpuNodes }).flatMap(([section, settings]): Problem[] => {
    if (settings?.owner !== "pulumi") return [];
    const why = "The Cluster Autoscaler is installed and resizes this group, and Pulumi would set it back.";
    const fix = 'leave it out, or set it to "autoscaler"';
    return [{ code: "conflict", path: join(section, "owner"), got: settings.owner, why, fix }];
  });
}

/** Add-ons that call AWS: without a role, and with the instance's out of reach, they crash until EKS gives up. */
const needRoles = ["aws-ebs-csi-driver", "aws-efs-csi-driver", "amazon-cloudwatch-observability"];

function addonProblems(addons: Readonly<Record<string, unknown>>, kubernetesVersion: string | undefined): Problem[] {
  const known = [...new Set([...knownAddons, ...defaultAddons])];
  return Object.entries(addons).flatMap(([name, version]): Problem[] => {
    const path = join("addons", name);
    if (!addonPhase(name) && !(defaultAddons as readonly string[]).includes(name)) {
      const guess = nearest(name, known);
      const fix = guess ? `did you mean ${guess}?` : `remove it; known add-ons are ${known.join(", ")}`;
      return [{ code: "unknown-key", path, got: version, why: "There is no such add-on here.", fix }];
    }
    if (needRoles.includes(name)) {
      const why = "Its pods need an IAM role, which the environment does not make: they would not start.";
      const fix = "remove it, and make it with ClusterAddons and a WorkloadIdentity in a program of your own";
      return [{ code: "not-allowed", path, got: version, why, fix }];
    }
    return addonVersionProblems(path, version, name, kubernetesVersion);
  });
}
