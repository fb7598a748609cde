import { isPlainObject, join, keysOf, noObject, onlyKeys } from "../core/checks";
import { isOutput, requirePlainValue } from "../core/outputs";
import type { Problem } from "../core/problems";
import type {
  EnvironmentMonitoring,
  GpuEnvironmentArgs,
  GpuHealthSettings,
  GpuNodeSettings,
  GpuOperatorSettings,
  NetworkSettings,
} from "./gpu-environment-args";
import type { SystemNodeGroupSettings } from "../nodes/system-node-group-schema";

type Given = Readonly<Record<string, unknown>>;

const environmentKeys = keysOf<GpuEnvironmentArgs>({
  clusterName: true,
  kubernetesVersion: true,
  publicAccessCidrs: true,
  admins: true,
  network: true,
  systemNodes: true,
  gpuNodes: true,
  nccl: true,
  gpuOperator: true,
  monitoring: true,
  gpuHealth: true,
  addons: true,
  controllers: true,
  controlPlaneLogs: true,
  logRetentionDays: true,
  secretsKey: true,
  deletionProtection: true,
  credentials: true,
  tags: true,
  transform: true,
});

export const networkKeys = keysOf<NetworkSettings>({
  cidr: true,
  zones: true,
  publicSubnetCidrs: true,
  privateSubnetCidrs: true,
  natGateways: true,
  interfaceEndpoints: true,
  flowLogs: true,
  existing: true,
});

const systemNodesKeys = keysOf<SystemNodeGroupSettings>({
  instanceType: true,
  desiredSize: true,
  minSize: true,
  maxSize: true,
  owner: true,
  diskSizeGiB: true,
  releaseVersion: true,
  labels: true,
  maxPods: true,
  tools: true,
});

const gpuNodesKeys = keysOf<GpuNodeSettings>({
  instanceType: true,
  desiredSize: true,
  minSize: true,
  maxSize: true,
  owner: true,
  diskSizeGiB: true,
  releaseVersion: true,
  labels: true,
  maxPods: true,
  tools: true,
  azIndex: true,
  capacityType: true,
  capacityReservation: true,
  placementGroup: true,
  efa: true,
  localStorage: true,
  taints: true,
});

const gpuOperatorKeys = keysOf<GpuOperatorSettings>({
  enabled: true,
  chartVersion: true,
  namespace: true,
  repository: true,
  devicePlugin: true,
  dcgmExporter: true,
  serviceMonitor: true,
  validatorWorkload: true,
  timeSlicing: true,
  mps: true,
  migStrategy: true,
  values: true,
  timeoutSeconds: true,
});

const monitoringKeys = keysOf<EnvironmentMonitoring>({
  enabled: true,
  chartVersion: true,
  namespace: true,
  repository: true,
  grafana: true,
  alertmanager: true,
  retentionHours: true,
  retentionGiB: true,
  nodeLabels: true,
  values: true,
  timeoutSeconds: true,
});

const gpuHealthKeys = keysOf<GpuHealthSettings>({ engine: true, repair: true });

/** The sections with their keys; what keys the last three have, their own checks say. */
const sections: Readonly<Record<string, readonly string[] | undefined>> = {
  network: networkKeys,
  systemNodes: systemNodesKeys,
  gpuNodes: gpuNodesKeys,
  gpuOperator: gpuOperatorKeys,
  monitoring: monitoringKeys,
  gpuHealth: gpuHealthKeys,
  addons: undefined,
  controllers: undefined,
  tags: undefined,
};

/** What alone of a section's values may come later: only AWS reads it. */
const mayComeLater = ["gpuNodes.placementGroup"];

/** The form of the arguments: what is wrong with it, and what is left of them to look at. */
export interface Sections {
  /** Keys there are not, sections that are no objects, and values that come too late. */
  readonly problems: readonly Problem[];
  /** The arguments without the sections and values that cannot be read. */
  readonly sound: GpuEnvironmentArgs;
  /** Whether each section can be read, so that what is between them can be told. */
  readonly complete: boolean;
}

/** Reads the form of the arguments, before the values are looked at. */
export function readSections(args: Given): Sections {
  const plain = withoutLater(args, "");
  const problems = [...onlyKeys("", plain.values, environmentKeys), ...plain.problems];
  const sound: Record<string, unknown> = { ...plain.values };
  for (const [key, known] of Object.entries(sections)) {
    const got = plain.values[key];
    if (got === undefined) continue;
    if (!isPlainObject(got)) {
      problems.push(...noObject(key, got));
      sound[key] = undefined;
      continue;
    }
    const inner = withoutLater(got, key);
    problems.push(...(known ? onlyKeys(key, inner.values, known, transformHint(key)) : []), ...inner.problems);
    sound[key] = inner.values;
  }
  const complete = Object.keys(sections).every((key) => (args[key] === undefined) === (sound[key] === undefined));
  return { problems, sound: sound as unknown as GpuEnvironmentArgs, complete };
}

/** Each part's `transform` stands in the environment's, not in the part's section. */
function transformHint(section: string): Readonly<Record<string, string>> {
  const fix = section === "gpuHealth" ? "set transform.nodeMonitoring" : `set transform.${section}`;
  return { transform: fix };
}

/** The values that are known now; each other is a problem. */
function withoutLater(given: Given, at: string): { values: Given; problems: Problem[] } {
  const comesTooLate = (key: string) => isOutput(given[key]) && !mayComeLater.includes(join(at, key));
  const [late, known] = [Object.keys(given).filter(comesTooLate), Object.entries(given)];
  return {
    values: Object.fromEntries(known.filter(([key]) => !late.includes(key))),
    problems: late.flatMap((key) => requirePlainValue(join(at, key))),
  };
}
