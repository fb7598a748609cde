import type { PreviewState } from "../facts/preview-state";

const clusterType = "eks-gpu-lab:index:EksCluster";

/** The cluster's name in each of two plans, of which that of the first stands for that of the second. */
export interface ClusterNames {
  readonly from: string;
  readonly to: string;
}

/** The names of the clusters where each plan has one and they differ. */
export function clusterNames(from: readonly PreviewState[], to: readonly PreviewState[]): ClusterNames | undefined {
  const [one, other] = [clusterName(from), clusterName(to)];
  return one !== undefined && other !== undefined && one !== other ? { from: one, to: other } : undefined;
}

function clusterName(resources: readonly PreviewState[]): string | undefined {
  const [cluster, ...more] = resources.filter(({ type }) => type === clusterType);
  const name = cluster?.inputs?.["clusterName"];
  return more.length === 0 && typeof name === "string" ? name : undefined;
}

/** A value of the first plan with the cluster named as in the second: names of roles and tags derive from it. */
export function renamed(value: unknown, names: ClusterNames): unknown {
  if (typeof value === "string") return inText(value, names);
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [inText(key, names), renamed(item, names)]));
}

/** Where it stands as a word, not as a part of one. */
function inText(text: string, { from, to }: ClusterNames): string {
  const word = from.replaceAll(/[^A-Za-z0-9]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<![A-Za-z0-9])${word}(?![A-Za-z0-9])`, "g"), () => to);
}
