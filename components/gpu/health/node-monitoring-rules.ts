import { join, matching } from "../../core/checks";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/records";
import { nearest } from "../../core/suggest";
import { kubernetesMinor } from "../operator/compatibility";
import { gpuHealth } from "./gpu-health";
import type { NodeMonitoringAgentArgs } from "./node-monitoring-agent";
import { valueAt } from "../operator/values";

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

/** Everything that is wrong with the arguments of a NodeMonitoringAgent. `at` leads the paths. */
export function nodeMonitoringAgentProblems(args: NodeMonitoringAgentArgs, at = ""): Problem[] {
  const given: unknown = args;
  if (!isRecord(given)) {
    const path = at === "" ? "args" : at;
    return [{ code: "wrong-type", path, got: given, why: "It must be an object.", fix: `set the keys of ${path}` }];
  }
  const { clusterName, kubernetesVersion, version, configuration } = given;
  return [
    ...clusterProblems(clusterName, join(at, "clusterName")),
    ...kubernetesMinor(kubernetesVersion, join(at, "kubernetesVersion")),
    ...(version === undefined ? [] : versionProblems(version, join(at, "version"))),
    ...(configuration === undefined ? [] : configurationProblems(configuration, join(at, "configuration"))),
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
  return Object.entries(schemaKeys).flatMap(([place, known]) => {
    const steps = place === "" ? [] : place.split(".");
    const holder = valueAt(got, steps);
    const path = [at, ...steps].join(".");
    if (holder === undefined) return [];
    if (!isRecord(holder)) {
      const fix = `set keys of it: ${known.join(", ")}`;
      return [{ code: "wrong-type" as const, path, got: holder, why: "It must be an object.", fix }];
    }
    return unknownKeys(holder, known, path);
  });
}

function unknownKeys(holder: Readonly<Record<string, unknown>>, known: readonly string[], at: string): Problem[] {
  const why = "The add-on's schema has no such key, and EKS would refuse the whole configuration.";
  return Object.entries(holder)
    .filter(([key]) => !known.includes(key))
    .map(([key, got]): Problem => {
      const near = nearest(key, known);
      const fix = near ? `write ${join(at, near)}` : `remove it; known are ${known.join(", ")}`;
      return { code: "unknown-key", path: join(at, key), got, why, fix };
    });
}
