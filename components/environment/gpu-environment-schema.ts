import * as v from "valibot";
import { addonConflicts } from "../cluster/addons/addons-schema";
import { controllerConflicts } from "../cluster/controllers/controller-schema";
import type { Problem } from "../core/problems";
import { join } from "../core/reader/paths";
import { conflict, problemsIn, type GivenOf } from "../core/schema";
import { leaseConflicts } from "../lease/lab-lease-schema";
import { vpcConflicts } from "../network/vpc/vpc-schema";
import { gpuNodeConflicts } from "../nodes/gpu-node-group-schema";
import { systemNodeConflicts } from "../nodes/system-node-group-schema";
import {
  efaConflicts,
  egressConflicts,
  healthConflicts,
  operatorConflicts,
  ownerConflicts,
  transformConflicts,
  zoneConflicts,
} from "./gpu-environment-conflicts";
import { environmentSection } from "./gpu-environment-sections";

/** The arguments of a GpuEnvironment, with all checks of conflicts. */
export const environment = v.pipe(
  environmentSection,
  conflict(["network"], ({ network: vpc }, at) => (vpc.existing ? [] : vpcConflicts(vpc, join(at, "network")))),
  conflict(["systemNodes", "kubernetesVersion"], (args, at) =>
    systemNodeConflicts(args.systemNodes, args.kubernetesVersion, join(at, "systemNodes")),
  ),
  conflict(["gpuNodes", "kubernetesVersion"], (args, at) =>
    gpuNodeConflicts(args.gpuNodes, args.kubernetesVersion, join(at, "gpuNodes")),
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
);

/** The arguments of a GpuEnvironment as a program passes them. */
export interface GpuEnvironmentArgs extends Readonly<GivenOf<typeof environment>> {}

/** Every problem in the arguments; paths are the arguments' names, e.g. `gpuNodes.maxSize`. */
export function gpuEnvironmentProblems(args: GpuEnvironmentArgs): readonly Problem[] {
  return problemsIn(environment, args);
}
