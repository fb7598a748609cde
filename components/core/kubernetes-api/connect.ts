import { Agent } from "node:http";
import type { RequestOptions } from "node:https";
import type { Cluster, KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { fileReason } from "../file-reason";
import { refuse, type Problem } from "../problems";
import { nearest } from "../suggest";
import { Unreachable, type Connection } from "./api";

interface ConnectionOptions {
  /** Path of a kubeconfig. @default KUBECONFIG or ~/.kube/config - as for kubectl */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig. @default its current context */
  readonly context?: string;
  /** The address of an API server: selects the first context of it. @default any */
  readonly server?: string;
  /** What the problems of the context belong to. @default "the command line" */
  readonly subject?: string;
  /** What the user sets to choose the context. @default "--context" */
  readonly contextPath?: string;
  /** How to get a kubeconfig with a context. @default the command of AWS */
  readonly kubeconfigFix?: string;
}

const updateKubeconfig = "run aws eks update-kubeconfig --name CLUSTER";

export interface Connected extends Connection {
  readonly context: string;
  /** The namespace of the context. */
  readonly namespace?: string;
}

/**
 * Reads the kubeconfig with the official client, which supports all ways to sign in: tokens, certificates, proxies, and
 * commands such as `aws eks get-token`. The client takes a second to load, so it is loaded only here.
 *
 * @throws InputError if the kubeconfig is not usable or the context does not exist
 */
export async function connect(options: ConnectionOptions): Promise<Connected> {
  const config = await loadConfig(options);
  selectContext(config, options);
  const name = config.getCurrentContext();
  const server = serverOf(config, options);
  const namespace = config.getContextObject(name)?.namespace;
  return {
    context: name,
    ...(namespace !== undefined && namespace !== "" && { namespace }),
    server,
    options: once(async () => {
      const options: RequestOptions = {};
      try {
        await config.applyToHTTPSOptions(options);
      } catch (error) {
        throw signInError(error as Error);
      }
      // Otherwise each request would open a connection of its own.
      if (options.agent instanceof Agent) Object.assign(options.agent, { keepAlive: true });
      return options;
    }),
  };
}

async function loadConfig({ kubeconfig, kubeconfigFix: fix = updateKubeconfig }: ConnectionOptions) {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    refuse("the kubeconfig", [unreadable(kubeconfig, error as Error, fix)]);
  }
  // Without a kubeconfig, the client makes a context of this name up.
  if (kubeconfig === undefined && config.getCurrentContext() === "loaded-context") {
    const why = "There is no kubeconfig: KUBECONFIG is not set, and ~/.kube/config does not exist.";
    refuse("the kubeconfig", [{ code: "missing", path: "KUBECONFIG", got: undefined, why, fix }]);
  }
  if (config.getContexts().length === 0) refuse("the kubeconfig", [unreadable(kubeconfig, new Error(noContext), fix)]);
  return config;
}

const noContext = "it has no context";

/** The address of the API server of the selected context. */
function serverOf(config: KubeConfig, options: ConnectionOptions): string {
  const { context, contextPath = "--context", kubeconfigFix = updateKubeconfig } = options;
  const cluster = config.getCurrentCluster();
  if (!cluster) {
    const path = context === undefined ? "current-context" : contextPath;
    const why = "The kubeconfig does not define the cluster of the context.";
    const fix = `${kubeconfigFix}, or choose another context with ${contextPath}`;
    refuse("the kubeconfig", [{ code: "missing", path, got: config.getCurrentContext(), why, fix }]);
  }
  const { name, server, skipTLSVerify } = cluster as Cluster;
  const { protocol } = URL.canParse(server) ? new URL(server) : {};
  const path = `clusters.${name}.server`;
  if (protocol !== "https:" && protocol !== "http:") {
    const why = "Must be the address of an API server.";
    const fix = `set ${path} of the kubeconfig to an address such as https://127.0.0.1:6443`;
    refuse("the kubeconfig", [{ code: "not-allowed", path, got: server, why, fix }]);
  }
  if (protocol === "http:" && !skipTLSVerify) {
    const why = "The client uses http only for a cluster with insecure-skip-tls-verify.";
    const fix = `set ${path} of the kubeconfig to an https address, or insecure-skip-tls-verify of the cluster to true`;
    refuse("the kubeconfig", [{ code: "not-allowed", path, got: server, why, fix }]);
  }
  return server;
}

/** Selects the chosen context, if there is one. */
function selectContext(config: KubeConfig, options: ConnectionOptions): void {
  const { context, server, subject = "the command line", contextPath = "--context" } = options;
  if (context === undefined) {
    if (server !== undefined) selectServer(config, server, options);
    return;
  }
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(context)) refuse(subject, [unknownContext(contextPath, context, names)]);
  config.setCurrentContext(context);
}

/** Whether two addresses are of the same API server. */
export function isSameServer(one: string, other: string): boolean {
  const key = (address: string) => address.toLowerCase().replace(/\/$/, "");
  return key(one) === key(other);
}

/** Selects a context of an API server: the current one if it fits, or the first one. */
function selectServer(
  config: KubeConfig,
  server: string,
  { kubeconfigFix: fix = updateKubeconfig }: ConnectionOptions,
) {
  const fits = (name: string) => {
    const cluster = config.getCluster(config.getContextObject(name)?.cluster ?? "");
    return cluster !== null && isSameServer(cluster.server, server);
  };
  const names = [config.getCurrentContext(), ...config.getContexts().map(({ name }) => name)];
  const found = names.find(fits);
  if (found !== undefined) return config.setCurrentContext(found);
  const why = "The kubeconfig has no context for this cluster.";
  refuse("the kubeconfig", [{ code: "missing", path: "KUBECONFIG", got: server, why, fix }]);
}

/** One sign-in is enough: an EKS token is valid for 15 minutes, and a triage takes seconds. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function signInError(error: Error): Unreachable {
  const why = `Signing in with the kubeconfig failed: ${error.message.trim().slice(0, 300)}.`;
  return new Unreachable(why, "check that the command in the kubeconfig works, e.g. with aws sts get-caller-identity");
}

function unreadable(kubeconfig: string | undefined, error: Error, fix: string): Problem {
  const path = kubeconfig === undefined ? "KUBECONFIG" : "--kubeconfig";
  // The client reads an empty file as if it were an object.
  const reason = error instanceof TypeError ? noContext : fileReason(error).slice(0, 200);
  const got = kubeconfig ?? process.env["KUBECONFIG"] ?? "~/.kube/config";
  const why = `The kubeconfig cannot be read: ${reason}.`;
  return { code: "wrong-type", path, got, why, fix: `use the path of a kubeconfig, or ${fix}` };
}

function unknownContext(path: string, context: string, names: readonly string[]): Problem {
  const guess = nearest(context, names);
  const fix = guess === undefined ? `choose one of ${names.slice(0, 10).join(", ")}` : `did you mean ${guess}?`;
  return { code: "not-allowed", path, got: context, why: "Must be a context of the kubeconfig.", fix };
}
