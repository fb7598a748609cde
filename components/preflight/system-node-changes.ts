import { show } from "../core/problems";
import type { PreflightFacts } from "./preflight-facts";
import { isChange, stackChanges, templateChanges, type NodeChange } from "./node-template-changes";
import type { ChangeRequest, RunningEnvironment } from "./running-environment";

/** The changes that end running system nodes. What a `transform` of them sets is not compared. */
export function systemNodeChanges(
  { settings, stackTag: stack }: ChangeRequest,
  { clusterName, systemNodes: running }: RunningEnvironment,
): NodeChange[] {
  if (!running) return [];
  const { nodeGroup, launchTemplate } = settings.transform?.systemNodes ?? {};
  const { kubernetesVersion, systemNodes } = settings;
  const { template, instanceType, releaseVersion, kubernetesVersion: version } = running;
  const rolls = { effect: "rolls" } as const;
  const ofGroup: NodeChange[] = [
    { path: "systemNodes.instanceType", wanted: systemNodes.instanceType, existing: instanceType, effect: "replaces" },
    { path: "kubernetesVersion", wanted: kubernetesVersion, existing: version, ...rolls },
    { path: "systemNodes.releaseVersion", wanted: systemNodes.releaseVersion, existing: releaseVersion, ...rolls },
  ];
  const ofTemplate = template && [
    ...templateChanges("systemNodes", settings, { Name: `${clusterName}-system` }, template),
    ...stackChanges(stack, template),
  ];
  return [...(nodeGroup ? [] : ofGroup), ...(launchTemplate ? [] : (ofTemplate ?? []))].filter(isChange);
}

/** Names the system nodes that the update replaces, and what replaces them. */
export function systemNodeWarnings(change: ChangeRequest, { running }: PreflightFacts): string[] {
  const changes = running ? systemNodeChanges(change, running) : [];
  const { instances = [] } = running?.systemNodes ?? {};
  if (changes.length === 0 || instances.length === 0) return [];
  const values = changes.map(({ path, existing, wanted }) => `${path} from ${show(existing)} to ${show(wanted)}`);
  const how = changes.some(({ effect }) => effect === "replaces")
    ? "creates another group of system nodes, and deletes the existing one with its nodes"
    : "replaces the system nodes one by one, new ones first";
  return [`The update ${how}: ${instances.join(", ")}. Their pods start again. It changes ${values.join(", ")}.`];
}
