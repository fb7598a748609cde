import type { AnalyzedResource } from "../../../policies/engine/judge";
import { deploymentType } from "./pods";
import { resource } from "./verdicts";

/** A node group of nodes with one GPU each unless `more` says otherwise. */
export function group(maxSize: unknown, more: object = {}, name = "gpu"): AnalyzedResource {
  const scalingConfig = { minSize: 0, desiredSize: 0, maxSize };
  const labels = { tier: "gpu", "nvidia.com/gpu": "true" };
  return resource(
    "aws:eks/nodeGroup:NodeGroup",
    { instanceTypes: ["g5.xlarge"], scalingConfig, labels, ...more },
    { name },
  );
}

/** Pods of one container with GPUs, for the nodes of {@link group}. */
export function podSpec(gpus: unknown = 1, nodeSelector: unknown = { tier: "gpu" }) {
  return { nodeSelector, containers: [{ resources: { limits: { "nvidia.com/gpu": gpus } } }] };
}

/** What makes such pods. */
export function workload(spec: object, pod: unknown = podSpec(), type = deploymentType, name = "it"): AnalyzedResource {
  return resource(type, { metadata: { namespace: "lab" }, spec: { ...spec, template: { spec: pod } } }, { name });
}
