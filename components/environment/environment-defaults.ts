import { kubernetesVersion } from "../core/versions";

/** What the environment decides itself; every other default is that of the component it belongs to. */
export const environmentDefaults = {
  clusterName: "myeks",
  kubernetesVersion,
  nccl: "open",
  azIndex: 0,
  engine: "node-monitor",
} as const;
