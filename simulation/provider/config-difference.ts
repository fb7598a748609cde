import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { load } from "js-yaml";
import { isRecord } from "../../components/core/reader/records";
import { hasUnknown, type Properties } from "../../components/core/wire";

/** The difference between two configurations of a provider. */
export interface ConfigDifference {
  readonly changed: readonly string[];
  /** The changes that replace the provider, and with it all its resources. */
  readonly replacing: readonly string[];
}

/** Names of the settings that differ between two configurations of a provider. */
export function changedSettings(olds: Properties, news: Properties): string[] {
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])];
  return keys.filter((key) => !isDeepStrictEqual(olds[key], news[key]));
}

/**
 * The provider is replaced, with all its objects, when it connects to another cluster or may do so. It is never replaced
 * while its `clusterIdentifier` stays the same.
 *
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/provider.go DiffConfig
 */
export function kubernetesConfigDifference(olds: Properties, news: Properties): ConfigDifference {
  const changed = changedSettings(olds, news);
  const { clusterIdentifier: before } = olds;
  const { clusterIdentifier: now } = news;
  const kept = now !== undefined && isDeepStrictEqual(before, now);
  const renamed = before !== undefined && now !== undefined && !kept ? ["clusterIdentifier"] : [];

  const unknown = clusterSettings.find((key) => hasUnknown(news[key]));
  if (unknown) return { changed: [unknown], replacing: kept ? [] : [...renamed, unknown] };

  const rendered = changed.filter((key) => key === "renderYamlToDirectory");
  const moved = isOtherCluster(olds, news) ? clusterSettings.filter((key) => changed.includes(key)) : [];
  return { changed, replacing: kept ? [] : [...renamed, ...rendered, ...moved] };
}

const clusterSettings = ["kubeconfig", "context", "cluster"] as const;

function isOtherCluster(olds: Properties, news: Properties): boolean {
  const [before, now] = [activeCluster(olds), activeCluster(news)];
  return before !== undefined && now !== undefined && !isDeepStrictEqual(before, now);
}

/** The cluster entry that a configuration selects, if any. */
function activeCluster({ kubeconfig, context, cluster }: Properties): unknown {
  const config = parsed(kubeconfig);
  const active = entry(config["contexts"], context ?? config["current-context"])?.["context"];
  if (!isRecord(active)) return undefined;
  return entry(config["clusters"], cluster ?? active["cluster"])?.["cluster"];
}

/** A kubeconfig: JSON, YAML, or the path of a file. */
function parsed(kubeconfig: unknown): Properties {
  if (typeof kubeconfig !== "string") return isRecord(kubeconfig) ? kubeconfig : {};
  const isPath = !kubeconfig.includes("\n") && !kubeconfig.startsWith("{") && existsSync(kubeconfig);
  const config = load(isPath ? readFileSync(kubeconfig, "utf8") : kubeconfig);
  return isRecord(config) ? config : {};
}

function entry(list: unknown, name: unknown): Properties | undefined {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return entries.filter(isRecord).find((item) => item["name"] === name);
}
