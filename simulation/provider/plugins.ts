import { load } from "js-yaml";
import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import { isRegion } from "../../components/core/region";
import { hasUnknown, type Properties } from "../../components/core/wire";
import type { CloudError } from "../cloud/errors";
import type { RequestKind } from "../cloud/faults";
import type { Account } from "../cloud/model";
import { constructCluster } from "./eks/cluster";
import type { Construct } from "./eks/component";

export type PackageName = "aws" | "eks" | "kubernetes";

/** A simulated provider plugin. */
export interface Plugin {
  readonly name: PackageName;
  /** The version of the program's package. */
  readonly version: string;
  /** The wire wrappers that the provider accepts. The engine removes the others from requests, and restores secrets. */
  readonly accepts: { readonly secrets: boolean; readonly resources: boolean; readonly outputs: boolean };
  /** Number of random hexadecimal digits that it appends to a resource's name. */
  readonly suffixLength: number;
  /** Throws if it does not accept its configuration in this account. @default every configuration is accepted */
  readonly requireConfig?: (config: Properties, account: Account) => void;
  /** How often it repeats a throttled request unless its configuration says otherwise. @default 0 */
  readonly maxRetries?: number;
  /** The region of a request, by its configuration and the resource in the state. @default that of the cloud */
  readonly regionOf?: (config: Properties, resource: Properties) => string | undefined;
  diffConfig(olds: Properties, news: Properties): ConfigDifference;
  /** The message for an error of the cloud. `subject` is a URN, or the token of a function. */
  errorMessage(operation: RequestKind, subject: string, error: CloudError): string;
  /** Constructs a component. */
  readonly construct?: Construct;
}

/** The first word of an error message, by operation. */
const gerunds: Readonly<Record<RequestKind, string>> = {
  create: "creating",
  read: "reading",
  update: "updating",
  delete: "deleting",
  invoke: "invoking",
};

/**
 * The AWS provider, which bridges the Terraform provider. From version 7 on, a resource stays in the region of its output
 * `region`, and is not replaced if the provider has another one.
 *
 * @see https://www.pulumi.com/registry/packages/aws/installation-configuration/ maxRetries
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/v6.0.0/website/docs/guides/enhanced-region-support.html.markdown
 */
export function aws(version: string): Plugin {
  return {
    name: "aws",
    version,
    accepts: { secrets: false, resources: false, outputs: false },
    suffixLength: 7,
    requireConfig: requireAllowedAccount,
    maxRetries: 25,
    regionOf: ({ region: own }, { region = own }) => (isRegion(region) ? region : undefined),
    diffConfig: (olds, news) => ({ changed: changedSettings(olds, news), replacing: [] }),
    errorMessage: (operation, subject, { code, explanation }) =>
      `${gerunds[operation]} ${subject}: 1 error occurred:\n\t* ${code}: ${explanation}\n`,
  };
}

/** The EKS provider, which constructs components. */
export function eks(version: string): Plugin {
  return {
    ...aws(version),
    name: "eks",
    accepts: { secrets: true, resources: true, outputs: true },
    construct: (component, monitor) => {
      if (component.type === "eks:index:Cluster") return constructCluster(component, monitor);
      throw new Error(`The component ${component.type} is not simulated`);
    },
  };
}

/** The Kubernetes provider, for objects and Helm releases. */
export function kubernetes(version: string): Plugin {
  return {
    name: "kubernetes",
    version,
    accepts: { secrets: true, resources: false, outputs: false },
    suffixLength: 8,
    regionOf: ({ kubeconfig }) => /\.gr7\.([a-z0-9-]+)\.eks\./.exec(JSON.stringify(kubeconfig ?? ""))?.[1],
    diffConfig: kubernetesConfigDifference,
    errorMessage: (_operation, _subject, { explanation }) => explanation,
  };
}

/**
 * Throws if the configuration of the provider excludes the account of its credentials.
 *
 * @see https://www.pulumi.com/registry/packages/aws/installation-configuration/ allowedAccountIds
 */
function requireAllowedAccount(config: Properties, { accountId }: Pick<Account, "accountId">): void {
  const allowed = listOf(config["allowedAccountIds"]);
  const isForbidden = listOf(config["forbiddenAccountIds"])?.includes(accountId) === true;
  if (isForbidden || allowed?.includes(accountId) === false) {
    throw new Error(`AWS account ID not allowed: ${accountId}`);
  }
}

/** The engine sends lists of a configuration file as JSON. */
function listOf(value: unknown): readonly unknown[] | undefined {
  const list = typeof value === "string" ? parseJson(value) : value;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

/** The difference between two configurations of a provider. */
export interface ConfigDifference {
  readonly changed: readonly string[];
  /** The changes that replace the provider, and with it all its resources. */
  readonly replacing: readonly string[];
}

/** Names of the settings that differ between two configurations of a provider. */
function changedSettings(olds: Properties, news: Properties): string[] {
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
