import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { instancesOf } from "../../../simulation/aws/eks/nodes/instances";
import { types } from "../../../simulation/aws/types";
import type { CloudObject } from "../../../simulation/cloud/model";
import { createCloud } from "../../../simulation/create-cloud";
import type { ExportedStack, TestWorkspace } from "../../support/test-workspace";
import { openWorkspace } from "./engine";

/** The files of test/fixtures/states. */
export type Earlier = "without-lease" | "without-tags" | "without-identity";

/** More than the objects of any recorded account: new ones get other ids. */
const lastSerial = 1000;

/** The stack gpu-lab as an earlier version left it, with its account. */
export async function openEarlier(name: Earlier, config: readonly string[]): Promise<TestWorkspace> {
  const file = new URL(`../../fixtures/states/${name}.json.gz`, `file://${__filename}`);
  const { state, objects } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
    readonly state: ExportedStack;
    readonly objects: readonly CloudObject[];
  };
  const cloud = createCloud();
  for (let serial = 0; serial < lastSerial; serial += 1) {
    const { type, id } = await cloud.create("test:index:Placeholder", {});
    cloud.remove(type, id);
  }
  cloud.history.length = 0;
  cloud.unsimulated.clear();
  for (const object of objects) cloud.put(object);
  for (const { type, id = "", custom } of state.deployment.resources ?? []) {
    if (custom && cloud.get(type, id)) cloud.history.push({ operation: "create", type, id, from: 0, to: 0 });
  }
  const workspace = await openWorkspace({ config, cloud: () => cloud });
  await workspace.importState(state);
  return workspace;
}

/** The ids of the running instances of a part of the environment. */
export function instances({ cloud }: TestWorkspace, part: "gpu" | "system"): string[] {
  const groups = cloud.find(types.nodeGroup).filter(({ inputs }) => inputs["nodeGroupNamePrefix"] === `myeks-${part}-`);
  return groups.flatMap((group) => instancesOf(cloud, group).map(({ id }) => id)).sort();
}
