import * as pulumi from "@pulumi/pulumi";
import { ResourceInvokeRequest } from "@pulumi/pulumi/proto/resource_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Problem } from "../../components";
import { isRecord } from "../../components/core/reader/records";
import { valueAt } from "../../components/core/reader/paths";
import { providerReason } from "../../components/core/provider-reason";
import { shellText } from "../../components/core/text";

const type = "aws:eks/nodeGroup:NodeGroup";

/**
 * Node groups in the state that the program does not register, such as after `pulumi import` without a parent. The update
 * would delete them with their nodes. If they are protected, the engine only says how to end the protection.
 */
export async function strayGroups(lab: string): Promise<Problem[]> {
  const stack = pulumi.getStack();
  try {
    const urns = await readUrns(`${pulumi.getOrganization()}/${pulumi.getProject()}/${stack}`);
    return urns.filter((urn) => isNodeGroup(urn) && !isOwn(urn, lab)).map((urn) => strayGroup(urn, stack));
  } catch (error) {
    const what = "so a node group that the update would delete is not found";
    await pulumi.log.warn(`Cannot read the resources of this stack, ${what}: ${providerReason(error)}`);
    return [];
  }
}

/** The function `invoke` of the SDK would look up each resource that an output refers to, which the engine does not know yet. */
async function readUrns(stackName: string): Promise<string[]> {
  const request = new ResourceInvokeRequest()
    .setTok("pulumi:pulumi:readStackResourceOutputs")
    .setArgs(Struct.fromJavaScript({ stackName }));
  const monitor = pulumi.runtime.getMonitor() as Monitor | undefined;
  if (!monitor) return [];
  const response = await new Promise<Invoked>((resolve, reject) => {
    monitor.invoke(request, (error, found) => (error ? reject(error) : resolve(found)));
  });
  const outputs = valueAt(response.getReturn()?.toJavaScript(), "outputs");
  return isRecord(outputs) ? Object.keys(outputs) : [];
}

type Invoked = { getReturn(): Struct | undefined };
type Monitor = {
  invoke(request: ResourceInvokeRequest, done: (error: Error | null, response: Invoked) => void): unknown;
};

function isNodeGroup(urn: string): boolean {
  return urn.split("::")[2]?.split("$").at(-1) === type;
}

function isOwn(urn: string, lab: string): boolean {
  return urn.endsWith(`GpuNodeGroup$${type}::${lab}-gpu`) || urn.endsWith(`SystemNodeGroup$${type}::${lab}-system`);
}

function strayGroup(got: string, stack: string): Problem {
  const why =
    "The state has this node group under a name that the program does not use, as after pulumi import. The update would " +
    "delete the group with its nodes. If it is protected, do not unprotect it: that lets the update delete it.";
  const forget = shellText(["pulumi", "state", "delete", got, "--force", "--stack", stack]);
  const list = shellText(["npx", "eks-gpu-lab", "leftovers", "--stack", stack]);
  const fix = `forget it, which deletes nothing in AWS: ${forget}; then adopt or remove it with what this prints: ${list}`;
  return { code: "conflict", path: "a node group in the state", got, why, fix };
}
