import { addonPhase, addonVersionProblems, knownAddons } from "./cluster/addon-plan";
import { externalDnsIdentityProblems } from "./cluster/controllers/external-dns-identity";
import { eksClusterProblems } from "./cluster/eks-cluster-checks";
import { kubernetesVersionProblems } from "./cluster/kubernetes-versions";
import { join, oneOf, wholeNumber, trueOrFalse } from "./core/checks";
import type { Problem } from "./core/problems";
import { isRecord } from "./core/records";
import { nearest } from "./core/suggest";
import { tagsProblems } from "./core/tokens";
import type { GpuEnvironmentArgs, NetworkSettings } from "./gpu-environment-args";
import { azCount, defaultAddons, environmentDefaults, gpuFacts, operatorFacts } from "./gpu-environment-plan";
import { gpuHealthProblems } from "./gpu/gpu-health";
import { gpuOperatorProblems } from "./gpu/gpu-operator-rules";
import { existingNetworkProblems } from "./network/network";
import { vpcProblems } from "./network/vpc-args";
import { gpuNodeGroupProblems } from "./nodes/gpu-node-group-rules";
import { nodeRepairProblems } from "./nodes/node-repair";
import { systemNodeGroupProblems } from "./nodes/system-node-group";

/** Every problem of the arguments, all parts at once; paths are the arguments' names, e.g. `gpuNodes.maxSize`. */
export function gpuEnvironmentProblems(args: GpuEnvironmentArgs): Problem[] {
  const sections = sectionProblems(args);
  if (sections.length > 0) return sections;
  const clusterName = args.clusterName ?? environmentDefaults.clusterName;
  const kubernetesVersion = args.kubernetesVersion ?? environmentDefaults.kubernetesVersion;
  const { network, systemNodes, gpuNodes, gpuOperator } = args;
  // What must fit a version that is wrong itself cannot be told.
  const known = kubernetesVersionProblems("kubernetesVersion", kubernetesVersion).length === 0;
  const cluster = known ? { kubernetesVersion } : {};
  return once([
    ...eksClusterProblems({ ...args, clusterName, kubernetesVersion, vpcId: "vpc-00000000", subnetIds: ["a", "b"] }),
    ...networkProblems(network),
    ...systemNodeGroupProblems({ ...systemNodes, ...cluster }, "systemNodes"),
    ...gpuNodeGroupProblems({ ...gpuNodes, ...cluster }, "gpuNodes"),
    ...azProblems(args),
    ...oneOf("nccl", args.nccl ?? environmentDefaults.nccl, ["open", "blocked"]),
    ...(gpuOperator?.enabled === undefined ? [] : trueOrFalse("gpuOperator.enabled", gpuOperator.enabled)),
    ...operatorProblems(args, known ? kubernetesVersion : environmentDefaults.kubernetesVersion),
    ...healthProblems(args),
    ...controllerProblems(args.controllers),
    ...tagsProblems("tags", args.tags),
    ...addonProblems(args.addons ?? {}, cluster.kubernetesVersion),
  ]);
}

/** Two parts may find the same fault in what they share. */
function once(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path}: ${problem.why}`, problem])).values()];
}

const sections = ["network", "systemNodes", "gpuNodes", "gpuOperator", "gpuHealth", "addons", "controllers", "tags"];

/** A section that is no object would make every check of its keys meaningless. */
function sectionProblems(args: GpuEnvironmentArgs): Problem[] {
  const given = args as unknown as Readonly<Record<string, unknown>>;
  return sections.flatMap((key): Problem[] => {
    const got = given[key];
    if (got === undefined || isRecord(got)) return [];
    return [noObject(key, got)];
  });
}

/** Inside an environment the operator's `health` is the engine of `gpuHealth`. */
function operatorProblems(args: GpuEnvironmentArgs, kubernetesVersion: string): Problem[] {
  const renamed = (text: string) => text.replaceAll("gpuOperator.health", "gpuHealth.engine");
  return gpuOperatorProblems({ ...operatorFacts(args), kubernetesVersion }, "gpuOperator").map((problem) => ({
    ...problem,
    path: renamed(problem.path),
    fix: renamed(problem.fix),
  }));
}

function networkProblems(network: NetworkSettings | undefined): Problem[] {
  const { existing, ...own } = network ?? {};
  if (existing === undefined) return vpcProblems(own, "network");
  const others = Object.entries(own).filter(([, value]) => value !== undefined);
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
  const azIndex: unknown = args.gpuNodes?.azIndex ?? environmentDefaults.azIndex;
  return wholeNumber("gpuNodes.azIndex", azIndex, { min: 0, max: azCount(args.network) - 1 });
}

function healthProblems(args: GpuEnvironmentArgs): Problem[] {
  const { engine = environmentDefaults.engine, repair } = args.gpuHealth ?? {};
  const maxSize = gpuFacts(args).maxSize;
  return [
    ...gpuHealthProblems(
      { engine, repair: repair !== undefined, architecture: gpuFacts(args).architecture },
      "gpuHealth",
    ),
    ...(repair === undefined ? [] : nodeRepairProblems(repair, "gpuHealth.repair", maxSize)),
  ];
}

function controllerProblems(controllers: GpuEnvironmentArgs["controllers"]): Problem[] {
  const { loadBalancerController, clusterAutoscaler, externalDns } = controllers ?? {};
  const installs = { loadBalancerController, clusterAutoscaler };
  return [
    ...Object.entries(installs).flatMap(([key, given]: [string, unknown]) => {
      const path = join("controllers", key);
      if (given === undefined) return [];
      if (!isRecord(given)) return [noObject(path, given)];
      const { install, ...others } = given;
      const surplus = Object.entries(others).map(([inner, got]) => unknownKey(join(path, inner), got, "install"));
      return [...(install === undefined ? [] : trueOrFalse(join(path, "install"), install)), ...surplus];
    }),
    ...externalDnsProblems(externalDns),
  ];
}

function externalDnsProblems(externalDns: unknown): Problem[] {
  const path = "controllers.externalDns";
  if (externalDns === undefined) return [];
  if (!isRecord(externalDns)) return [noObject(path, externalDns)];
  const { hostedZoneIds, ...others } = externalDns as { hostedZoneIds?: readonly string[] };
  return [
    ...Object.entries(others).map(([inner, got]) => unknownKey(join(path, inner), got, "hostedZoneIds")),
    ...externalDnsIdentityProblems({ clusterName: "any", ...(hostedZoneIds !== undefined && { hostedZoneIds }) }, path),
  ];
}

function noObject(path: string, got: unknown): Problem {
  return { code: "wrong-type", path, got, why: "It must be an object.", fix: `set the keys of ${path}` };
}

function unknownKey(path: string, got: unknown, known: string): Problem {
  return { code: "unknown-key", path, got, why: "There is no such key.", fix: `the key here is ${known}` };
}

function addonProblems(addons: Readonly<Record<string, unknown>>, kubernetesVersion: string | undefined): Problem[] {
  const known = [...knownAddons, ...defaultAddons];
  return Object.entries(addons).flatMap(([name, version]): Problem[] => {
    const path = join("addons", name);
    if (!addonPhase(name) && !(defaultAddons as readonly string[]).includes(name)) {
      const guess = nearest(name, known);
      const fix = guess ? `did you mean ${guess}?` : `remove it; known add-ons are ${known.join(", ")}`;
      return [{ code: "unknown-key", path, got: version, why: "There is no such add-on here.", fix }];
    }
    return addonVersionProblems(path, version, name, kubernetesVersion);
  });
}
