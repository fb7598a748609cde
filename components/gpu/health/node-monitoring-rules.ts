import type * as pulumi from "@pulumi/pulumi";
import type { AddonArgs } from "@pulumi/aws/eks";
import { isPlainObject, join, keysOf, matching, noObject, onlyKeys } from "../../core/checks";
import { kubernetesMinorProblems } from "../../core/kubernetes-minor";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { tagsProblems, type Tags } from "../../core/tokens";
import { transformProblems, type Transform } from "../../core/transform";
import { gpuHealth } from "./gpu-health";
import { valueAt, type JsonObject } from "../operator/values";

export interface NodeMonitoringAgentArgs {
  readonly clusterName: pulumi.Input<string>;
  /** Minor version of the cluster's Kubernetes, e.g. `"1.35"`: decides EKS's default version of the add-on. */
  readonly kubernetesVersion: string;
  /**
   * Exact version of the add-on, e.g. `"v1.7.0-eksbuild.1"`.
   * @default none - EKS's default for the Kubernetes version, never the newest
   */
  readonly version?: string;
  /**
   * Configuration of the add-on, best the `addonConfiguration` of {@link gpuHealth}. Keys outside the add-on's schema
   * are refused.
   * @default {"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}} -
   * without   it the DCGM engine never starts on a tainted GPU node and the node counts as unhealthy
   */
  readonly configuration?: JsonObject;
  /** Tags of the add-on. @default none - Name alone */
  readonly tags?: Tags;
  /** Adjusts the underlying resource. @default none - it is made as described */
  readonly transform?: NodeMonitoringAgentTransform;
}

/** Adjusts the add-on before it is made. */
export interface NodeMonitoringAgentTransform {
  readonly addon?: Transform<AddonArgs>;
}

export const nodeMonitoringAgentDefaults = {
  configuration: gpuHealth({ engine: "node-monitor", taints: [] }).addonConfiguration,
} as const;

/**
 * Keys that the add-on's configuration schema allows, by the object that holds them. EKS refuses a configuration with
 * any other; the chart's own values, such as `dcgmAgent.enabled` of 1.7.1, are not among them.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/charts/configuration.schema.json 2026-08-04
 */
export const schemaKeys: Readonly<Record<string, readonly string[]>> = {
  "": ["global", "nodeAgent", "dcgmAgent", "extraObjects"],
  global: ["podLabels", "podAnnotations"],
  nodeAgent: [
    ...["affinity", "additionalArgs", "podAnnotations", "podLabels", "nodeSelector", "priorityClassName", "probePort"],
    ...["resources", "resizePolicy", "tolerations", "monitors"],
  ],
  "nodeAgent.monitors": ["kernel-monitor", "networking", "storage-monitor", "nvidia", "neuron", "runtime"],
  dcgmAgent: [
    ...["affinity", "podAnnotations", "podLabels", "nodeSelector", "priorityClassName"],
    ...["resources", "resizePolicy", "tolerations"],
  ],
};

const nodeMonitoringAgentKeys = keysOf<NodeMonitoringAgentArgs>({
  clusterName: true,
  kubernetesVersion: true,
  version: true,
  configuration: true,
  tags: true,
  transform: true,
});

export const nodeMonitoringAgentTransformKeys = keysOf<NodeMonitoringAgentTransform>({ addon: true });

/** Everything that is wrong with the arguments of a NodeMonitoringAgent. `at` leads the paths. */
export function nodeMonitoringAgentProblems(args: NodeMonitoringAgentArgs, at = ""): Problem[] {
  const given: unknown = args;
  if (!isPlainObject(given)) return noObject(at, given);
  const { clusterName, kubernetesVersion, version, configuration, tags } = given;
  return [
    ...onlyKeys(at, given, nodeMonitoringAgentKeys),
    ...clusterProblems(clusterName, join(at, "clusterName")),
    ...kubernetesMinorProblems(join(at, "kubernetesVersion"), kubernetesVersion),
    ...(version === undefined ? [] : versionProblems(version, join(at, "version"))),
    ...(configuration === undefined ? [] : configurationProblems(configuration, join(at, "configuration"))),
    ...tagsProblems(join(at, "tags"), tags),
    ...transformProblems(join(at, "transform"), given["transform"], nodeMonitoringAgentTransformKeys),
  ];
}

function clusterProblems(got: unknown, path: string): Problem[] {
  const why = "The add-on belongs to a cluster.";
  return got === undefined || got === null || got === ""
    ? [{ code: "missing", path, got, why, fix: `set ${path} to the name of the cluster` }]
    : [];
}

function versionProblems(got: unknown, path: string): Problem[] {
  const form = "an exact version of the add-on; a floating one changes with the day of the update";
  const fix = `set ${path} to one such as "v1.7.0-eksbuild.1", or leave it out to take EKS's default`;
  return matching(path, got, /^v\d+\.\d+\.\d+-eksbuild\.\d+$/, form, fix);
}

function configurationProblems(got: unknown, at: string): Problem[] {
  if (isOutput(got)) return requirePlainValue(at);
  const why = "The add-on's schema has no such key, and EKS would refuse the whole configuration.";
  return Object.entries(schemaKeys).flatMap(([place, known]) => {
    const steps = place === "" ? [] : place.split(".");
    const holder = valueAt(got, steps);
    const path = [at, ...steps].join(".");
    if (holder === undefined) return [];
    if (!isRecord(holder)) {
      const fix = `set keys of it: ${known.join(", ")}`;
      return [{ code: "wrong-type" as const, path, got: holder, why: "It must be an object.", fix }];
    }
    return onlyKeys(path, holder, known, {}, why);
  });
}
