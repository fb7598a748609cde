import type { AddonArgs } from "@pulumi/aws/eks";
import * as v from "valibot";
import { exactAddonVersion, exampleAddonVersion } from "../../core/addon-version";
import { kubernetesMinor } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { s, defaultsOf, problemsIn, unknownKeys, type GivenOf, type ValueOf } from "../../core/schema";
import { tagMap } from "../../core/tokens";
import { transformOf, type Transform } from "../../core/transform";
import { resourceId } from "../../nodes/node-group-schema";
import { join, valueAt } from "../../core/reader/paths";
import type { Json } from "../operator/values";
import { externalEngineVersion, gpuHealth, takesExternalEngine } from "./gpu-health";

/**
 * Keys of the add-on's configuration schema, by the object that contains them. EKS rejects a configuration with any
 * other; the schema does not have all values of the chart.
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

/** Keys that the schema has from {@link externalEngineVersion} on. */
const laterKeys: typeof schemaKeys = { nodeAgent: ["dcgmAddress", "dnsPolicy"], dcgmAgent: ["enabled"] };

/** Adjusts the add-on before it is created. */
export interface NodeMonitoringAgentTransform {
  readonly addon?: Transform<AddonArgs>;
}

const settings = s.section({
  /** Name of the cluster. */
  clusterName: resourceId("the name of the cluster"),
  /** Minor version of the cluster's Kubernetes, such as `1.35`: it determines EKS's default version of the add-on. */
  kubernetesVersion: kubernetesMinor(),
  /**
   * Exact version of the add-on, of the form `v1.2.3-eksbuild.4`.
   *
   * @default none - EKS's default for the Kubernetes version, never the newest
   */
  version: s.optional(
    s.matching(
      exactAddonVersion,
      "an exact version of the add-on, because a floating version changes over time",
      `set {path} to a version such as "${exampleAddonVersion("eks-node-monitoring-agent")}", or remove it to use EKS's default`,
    ),
  ),
  /**
   * Configuration of the add-on, preferably the `addonConfiguration` of {@link gpuHealth}. Keys outside the add-on's
   * schema are rejected.
   *
   * @default {"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}} - without
   *   it the DCGM engine never starts on a tainted GPU node, and the node counts as unhealthy
   */
  configuration: s.optional(
    s.mapOf(s.anything<Json>(), "{ dcgmAgent: { tolerations: […] } }"),
    gpuHealth({ engine: "node-monitor", taints: [] }).addonConfiguration,
  ),
  /** Tags of the add-on. @default none - only Name is set */
  tags: s.optional(tagMap()),
  /** Adjusts the underlying resource. @default none - it is not adjusted */
  transform: s.optional(transformOf<NodeMonitoringAgentTransform>({ addon: true })),
});

/** Arguments of a NodeMonitoringAgent. */
export const nodeMonitoringAgent = v.pipe(settings, s.check(configurationProblems));

export const nodeMonitoringAgentDefaults = defaultsOf(nodeMonitoringAgent);

export interface NodeMonitoringAgentArgs extends Readonly<GivenOf<typeof nodeMonitoringAgent>> {}

/** Every problem in the arguments of a NodeMonitoringAgent. `at` is the prefix of the paths. */
export function nodeMonitoringAgentProblems(args: NodeMonitoringAgentArgs, at = ""): readonly Problem[] {
  return problemsIn(nodeMonitoringAgent, args, at);
}

function configurationProblems({ configuration, version }: ValueOf<typeof settings>, at: string): Problem[] {
  const why = "The add-on's schema has no such key, and EKS would reject the whole configuration.";
  return Object.entries(schemaKeys).flatMap(([place, always]): Problem[] => {
    const steps = place === "" ? [] : place.split(".");
    const holder = valueAt(configuration, steps);
    const path = [join(at, "configuration"), ...steps].join(".");
    if (holder === undefined) return [];
    const later = laterKeys[place] ?? [];
    const known = takesExternalEngine(version) ? [...always, ...later] : always;
    const update = `set ${join(at, "version")} to "${externalEngineVersion}" or newer, or remove this key`;
    const hints = Object.fromEntries(later.map((key) => [key, update]));
    if (isRecord(holder)) return unknownKeys(path, holder, known, hints, why);
    const fix = `set the keys of ${path}: ${known.join(", ")}`;
    return [{ code: "wrong-type", path, got: holder, why: "Must be an object.", fix }];
  });
}
