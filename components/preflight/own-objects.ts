import * as pulumi from "@pulumi/pulumi";
import { ResourceInvokeRequest } from "@pulumi/pulumi/proto/resource_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { valueAt } from "../core/reader/paths";
import { isRecord } from "../core/reader/records";

/** An object of AWS in the state of the stack. */
export interface OwnObject {
  readonly urn: string;
  /** Its resource type, e.g. `aws:eks/cluster:Cluster`. */
  readonly type: string;
  /** Its name; `CLUSTER:NAME` for what is in a cluster; the id of an environment for its identity. */
  readonly id: string;
}

/** The type of what keeps the id of an environment. */
export const identityType = "pulumi:index:Stash";

/** Reads the objects with a name in the state of this stack, as it was before this update. Undefined in an offline plan. */
export async function readOwnObjects(): Promise<OwnObject[] | undefined> {
  const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  const resources = valueAt(await invokePlain("pulumi:pulumi:readStackResourceOutputs", { stackName }), "outputs");
  if (!isRecord(resources)) return undefined;
  return Object.entries(resources).flatMap(([urn, resource]) => {
    const type = valueAt(resource, "type");
    const isIdentity = type === identityType && urn.includes("eks-gpu-lab:index:GpuEnvironment$");
    const id = isIdentity ? valueAt(resource, "outputs.output") : idOf(valueAt(resource, "outputs"));
    return typeof type === "string" && typeof id === "string" ? [{ urn, type, id }] : [];
  });
}

/** `pulumi.runtime.invoke` would look up each resource that the outputs refer to, and this update has none yet. */
async function invokePlain(token: string, args: Record<string, string>): Promise<unknown> {
  const request = new ResourceInvokeRequest().setTok(token).setArgs(Struct.fromJavaScript(args));
  return new Promise((resolve, reject) => {
    const monitor = pulumi.runtime.getMonitor();
    if (!monitor) return reject(new Error("The program does not run in the engine."));
    monitor.invoke(request, (error, response) =>
      error ? reject(error) : resolve(response.getReturn()?.toJavaScript()),
    );
  });
}

function idOf(outputs: unknown): string | undefined {
  const [name, cluster, ...parts] = ["name", "clusterName", "nodeGroupName", "addonName"].map((key) =>
    valueAt(outputs, key),
  );
  const part = parts.find((each) => typeof each === "string");
  if (typeof cluster === "string" && typeof part === "string") return `${cluster}:${part}`;
  return typeof name === "string" ? name : undefined;
}
