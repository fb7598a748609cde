import * as pulumi from "@pulumi/pulumi";
import { valueAt } from "../core/reader/paths";
import { isRecord } from "../core/reader/records";

/** An object of AWS in the state of the stack. */
export interface OwnObject {
  readonly urn: string;
  /** Its resource type, e.g. `aws:eks/cluster:Cluster`. */
  readonly type: string;
  /** Its name; `CLUSTER:NAME` for what is in a cluster. */
  readonly id: string;
}

/** Reads the objects with a name in the state of this stack, as it was before this update. Undefined in an offline plan. */
export async function readOwnObjects(): Promise<OwnObject[] | undefined> {
  const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  const state: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", { stackName });
  const resources = valueAt(state, "outputs");
  if (!isRecord(resources)) return undefined;
  return Object.entries(resources).flatMap(([urn, resource]) => {
    const type = valueAt(resource, "type");
    const id = idOf(valueAt(resource, "outputs"));
    return typeof type === "string" && id !== undefined ? [{ urn, type, id }] : [];
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
