import type { RequestOptions } from "node:https";
import { refuse, type Problem } from "../../components/core/problems";
import { nearest } from "../../components/core/suggest";
import { Unreachable, type Connection } from "./api";

export interface ConnectionOptions {
  /** Path of a kubeconfig. @default KUBECONFIG, or ~/.kube/config - as kubectl */
  readonly kubeconfig?: string;
  /** A context of it. @default its current one */
  readonly context?: string;
}

export interface Connected extends Connection {
  readonly context: string;
  /** The namespace that the context names. */
  readonly namespace?: string;
}

/**
 * Reads the kubeconfig with the official client, which knows its ways to sign in: tokens, certificates, commands such
 * as `aws eks get-token`, proxies. The client takes a second to load, and is loaded here alone.
 *
 * @throws InputError when there is no usable kubeconfig or no such context
 */
export async function connect({ kubeconfig, context }: ConnectionOptions): Promise<Connected> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    refuse("the kubeconfig", [unreadable(kubeconfig, error as Error)]);
  }
  if (context !== undefined) {
    const names = config.getContexts().map(({ name }) => name);
    if (!names.includes(context)) refuse("the command line", [unknownContext(context, names)]);
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  const name = config.getCurrentContext();
  if (!cluster) {
    const why = "It names no cluster that it describes.";
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
        throw signIn(error as Error);
      }
      return options;
    }),
  };
}

/** One sign-in will do: a token of EKS lasts for 15 minutes, and a triage for seconds. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function signIn(error: Error): Unreachable {
  const why = `The kubeconfig's way to sign in failed: ${error.message.trim().slice(0, 300)}.`;
  return new Unreachable(why, "see that the command of the kubeconfig works, e.g. aws sts get-caller-identity");
}

function unreadable(kubeconfig: string | undefined, error: Error): Problem {
  const path = kubeconfig === undefined ? "KUBECONFIG" : "--kubeconfig";
  const why = `It is no kubeconfig that can be read: ${error.message.split("\n")[0]?.slice(0, 200) ?? ""}.`;
  const got = kubeconfig ?? process.env["KUBECONFIG"] ?? "~/.kube/config";
  return { code: "wrong-type", path, got, why, fix: "run aws eks update-kubeconfig --name CLUSTER" };
}

function unknownContext(context: string, names: readonly string[]): Problem {
  const guess = nearest(context, names);
  const among = names.length > 0 ? `choose one of ${names.slice(0, 10).join(", ")}` : "run aws eks update-kubeconfig";
  const fix = guess === undefined ? among : `did you mean ${guess}?`;
  return { code: "not-allowed", path: "--context", got: context, why: "The kubeconfig has no such context.", fix };
}
