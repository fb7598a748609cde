import * as v from "valibot";
import { addonConflicts } from "../cluster/addons/addons-schema";
import { controllerConflicts } from "../cluster/controllers/controller-schema";
import type { Problem } from "../core/problems";
import { join } from "../core/reader/paths";
import { conflict, problemsIn, type GivenOf } from "../core/schema";
import { gpuOperatorChart } from "../core/versions";
import { gpuHealthConflicts } from "../gpu/health/gpu-health-schema";
import { isOlder } from "../gpu/operator/compatibility";
import { gpuOperatorConflicts } from "../gpu/operator/gpu-operator-schema";
import { leaseConflicts } from "../lease/lab-lease-schema";
import { vpcConflicts } from "../network/vpc/vpc-schema";
import { defaultZoneCount } from "../network/vpc/zones";
import { gpuNodeConflicts } from "../nodes/gpu-node-group-schema";
import { instanceType } from "../nodes/machine/instance-types";
import { systemNodeConflicts } from "../nodes/system-node-group-schema";
import { factsOf, operatorArguments } from "./cluster-facts";
import { environmentSection, type EnvironmentValues } from "./gpu-environment-sections";
import { isOnDemand, onDemandConflicts, transformsOfOthers, withoutRefused } from "./on-demand-conflicts";

/** The arguments of a GpuEnvironment, with all checks of conflicts. */
export const environment = v.pipe(
  environmentSection,
  conflict(["network"], ({ network: vpc }, at) => (vpc.existing ? [] : vpcConflicts(vpc, join(at, "network")))),
  conflict(["systemNodes", "kubernetesVersion"], (args, at) =>
    systemNodeConflicts(args.systemNodes, args.kubernetesVersion, join(at, "systemNodes")),
  ),
  conflict(["gpuNodes", "gpuHealth", "gpuOperator", "lease"], onDemandConflicts),
  conflict(["gpuNodes", "kubernetesVersion"], (args, at) =>
    withoutRefused(gpuNodeConflicts(args.gpuNodes, args.kubernetesVersion, join(at, "gpuNodes")), args, at),
  ),
  conflict(["addons", "kubernetesVersion"], (args, at) =>
    addonConflicts(args.addons, args.kubernetesVersion, join(at, "addons")),
  ),
  conflict(["controllers", "kubernetesVersion"], (args, at) =>
    controllerConflicts(args.controllers, args.kubernetesVersion, join(at, "controllers")),
  ),
  conflict(["gpuNodes", "network"], zoneConflicts),
  conflict(["gpuHealth", "gpuNodes", "addons"], healthConflicts),
  conflict(["gpuOperator", "gpuHealth", "gpuNodes", "monitoring", "kubernetesVersion"], operatorConflicts),
  conflict(["gpuNodes", "gpuOperator"], efaConflicts),
  conflict(["network", "gpuOperator", "monitoring", "controllers", "gpuNodes"], egressConflicts),
  conflict(["controllers", "systemNodes", "gpuNodes"], ownerConflicts),
  conflict(["lease"], ({ lease }, at) => (lease?.enabled ? leaseConflicts(lease, join(at, "lease")) : [])),
  conflict(["network", "transform"], transformConflicts),
  conflict(["gpuNodes", "transform"], transformsOfOthers),
);

/** The arguments of a GpuEnvironment as a program passes them. */
export interface GpuEnvironmentArgs extends Readonly<GivenOf<typeof environment>> {}

/** Every problem in the arguments; paths are the arguments' names, e.g. `gpuNodes.maxSize`. */
export function gpuEnvironmentProblems(args: GpuEnvironmentArgs): readonly Problem[] {
  return problemsIn(environment, args);
}

/** Conflicts between the sections of an environment, each over the sections that it reads. */
type Sections<K extends keyof EnvironmentValues> = Pick<EnvironmentValues, K>;

/** How many zones the network has. */
export function zoneCount({ existing, zones }: EnvironmentValues["network"]): number {
  return existing?.zones.length ?? zones?.length ?? defaultZoneCount;
}

function zoneConflicts({ gpuNodes, network }: Sections<"gpuNodes" | "network">, at: string): Problem[] {
  const last = zoneCount(network) - 1;
  if (gpuNodes.azIndex <= last) return [];
  const path = join(at, "gpuNodes.azIndex");
  const why = `Must be from 0 to ${last}: the network has ${last + 1} zones, and the index counts from 0.`;
  const fix = `set ${path} to a whole number, from 0 to ${last}`;
  return [{ code: "out-of-range", path, got: gpuNodes.azIndex, why, fix }];
}

function healthConflicts(args: Sections<"gpuHealth" | "gpuNodes" | "addons">, at: string): Problem[] {
  const { gpuHealth, gpuNodes, addons } = args;
  const architecture = instanceType(gpuNodes.instanceType)?.architecture ?? "amd64";
  const addonVersion = addons["eks-node-monitoring-agent"];
  return gpuHealthConflicts(
    gpuHealth,
    { architecture, maxSize: gpuNodes.maxSize, addonVersion },
    join(at, "gpuHealth"),
  );
}

export function operatorConflicts(
  args: Sections<"gpuOperator" | "gpuHealth" | "gpuNodes" | "monitoring" | "kubernetesVersion">,
  at: string,
): Problem[] {
  const { chartVersion } = args.gpuOperator;
  const path = join(at, "gpuOperator");
  const facts = factsOf(args);
  const problems = gpuOperatorConflicts(operatorArguments(facts, args.gpuOperator), path, join(at, "gpuHealth.engine"));
  if (facts.gpuOperator || chartVersion !== gpuOperatorChart.version) return problems;
  // A default version that is not installed need not fit.
  return problems.filter((problem) => problem.path !== join(path, "chartVersion") || problem.code !== "version");
}

/** Charts 26.3.0 to 26.3.2 mount every ibverbs device of a node into every GPU pod, which disturbs NCCL over EFA. */
function efaConflicts({ gpuNodes, gpuOperator }: Sections<"gpuNodes" | "gpuOperator">, at: string): Problem[] {
  const { enabled, chartVersion: got } = gpuOperator;
  if (!gpuNodes.efa || isOnDemand({ gpuNodes }) || !enabled || !isOlder(got, "v26.3.3")) return [];
  const path = join(at, "gpuOperator.chartVersion");
  const why = "With EFA, this chart mounts every ibverbs device of a node into every GPU pod; v26.3.3 fixes this.";
  return [{ code: "conflict", path, got, why, fix: `set ${path} to "v26.3.3"` }];
}

/** Without a NAT gateway, nodes pull from Amazon ECR of their region only. The images of these releases are elsewhere. */
function egressConflicts(
  args: Sections<"network" | "gpuOperator" | "monitoring" | "controllers" | "gpuNodes">,
  at: string,
): Problem[] {
  const { network, gpuOperator, monitoring, controllers, gpuNodes } = args;
  if (network.existing || network.natGateways !== "none") return [];
  const outside: Readonly<Record<string, boolean>> = {
    "gpuOperator.enabled": gpuOperator.enabled === true && gpuOperator.repository === gpuOperatorChart.repository,
    "monitoring.enabled": monitoring.enabled,
    "controllers.loadBalancerController.install": controllers.loadBalancerController.install,
    "controllers.clusterAutoscaler.install": controllers.clusterAutoscaler.install,
    // The plugin's image is in Amazon ECR in us-west-2, which the endpoints of another region do not reach.
    "gpuNodes.efa": gpuNodes.efa,
  };
  const nat = join(at, "network.natGateways");
  const why = `Its images are not in the region's Amazon ECR, and nodes cannot pull them while ${nat} is "none".`;
  const installed = Object.entries(outside)
    .filter(([, isInstalled]) => isInstalled)
    .map(([key]): Problem => {
      const path = join(at, key);
      return { code: "conflict", path, got: true, why, fix: `set ${nat} to "single", or ${path} to false` };
    });
  if (!isOnDemand(args)) return installed;
  const path = join(at, "gpuNodes.provisioner");
  const fix = `set ${nat} to "single", or ${path} to "managedNodeGroup"`;
  const pool: Problem = { code: "conflict", path, got: gpuNodes.provisioner, why, fix };
  return [...withoutRefused(installed, args, at), pool];
}

/** An installed autoscaler resizes every managed group of the cluster; Pulumi would revert each change. */
function ownerConflicts(
  { controllers, ...groups }: Sections<"controllers" | "systemNodes" | "gpuNodes">,
  at: string,
): Problem[] {
  if (!controllers.clusterAutoscaler.install) return [];
  return (["systemNodes", "gpuNodes"] as const).flatMap((section): Problem[] => {
    const got = groups[section].owner;
    if (got !== "pulumi") return [];
    const path = join(at, `${section}.owner`);
    const why = "The Cluster Autoscaler is installed and resizes this group, and Pulumi would revert its changes.";
    return [{ code: "conflict", path, got, why, fix: `remove ${path}, or set it to "autoscaler"` }];
  });
}

function transformConflicts({ network, transform }: Sections<"network" | "transform">, at: string): Problem[] {
  if (!network.existing || transform?.network === undefined) return [];
  const path = join(at, "transform.network");
  const existing = join(at, "network.existing");
  const why = `Adjusts a new VPC, but the environment uses ${existing} and creates none.`;
  return [{ code: "conflict", path, got: "an object", why, fix: `remove ${path} or ${existing}` }];
}
