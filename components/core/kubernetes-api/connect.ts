import { Agent } from "node:http";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { refuse, type Problem } from "../problems";
import { nearest } from "../suggest";
import { Unreachable, type Connection } from "./api";

export interface ConnectionOptions {
  /** Path of a kubeconfig. @default KUBECONFIG or ~/.kube/config - as for kubectl */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig. @default its current context */
  readonly context?: string;
  /** What the problems of the context belong to. @default "the command line" */
  readonly subject?: string;
  /** What the user sets to choose the context. @default "--context" */
  readonly contextPath?: string;
}

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
  const { kubeconfig } = options;
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    refuse("the kubeconfig", [unreadable(kubeconfig, error as Error)]);
  }
  selectContext(config, options);
  const cluster = config.getCurrentCluster();
  const name = config.getCurrentContext();
  if (!cluster) {
    const why = "The kubeconfig does not define the cluster of the context.";
    const fix = "run aws eks update-kubeconfig --name CLUSTER, or choose a context with --context";
    refuse("the kubeconfig", [{ code: "missing", path: "current-context", got: name, why, fix }]);
  }
  const namespace = config.getContextObject(name)?.namespace;
  return {
    context: name,
    ...(namespace !== undefined && namespace !== "" && { namespace }),
    server: cluster?.server ?? "",
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

/** Selects the chosen context, if there is one. */
function selectContext(config: KubeConfig, options: ConnectionOptions): void {
  const { context, subject = "the command line", contextPath = "--context" } = options;
  if (context === undefined) return;
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(context)) refuse(subject, [unknownContext(contextPath, context, names)]);
  config.setCurrentContext(context);
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

function unreadable(kubeconfig: string | undefined, error: Error): Problem {
  const path = kubeconfig === undefined ? "KUBECONFIG" : "--kubeconfig";
  const why = `Must be a readable kubeconfig: ${error.message.split("\n")[0]?.slice(0, 200) ?? ""}.`;
  const got = kubeconfig ?? process.env["KUBECONFIG"] ?? "~/.kube/config";
  return { code: "wrong-type", path, got, why, fix: "run aws eks update-kubeconfig --name CLUSTER" };
}

function unknownContext(path: string, context: string, names: readonly string[]): Problem {
  const guess = nearest(context, names);
  const fallback =
    names.length > 0 ? `choose one of ${names.slice(0, 10).join(", ")}` : "run aws eks update-kubeconfig";
  const fix = guess === undefined ? fallback : `did you mean ${guess}?`;
  return { code: "not-allowed", path, got: context, why: "Must be a context of the kubeconfig.", fix };
}
