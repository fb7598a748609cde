import { spawnSync } from "node:child_process";
import { loadAll } from "js-yaml";
import { Client, type KubernetesObject } from "./client";
import { Parts, type Access } from "./control-plane";
import { controllersProgram } from "./controllers";
import { eventually } from "./eventually";
import { kubeconfigFile } from "./kubeconfig";

/** Starts KWOK on a control plane, as its documentation says. Returns what stops it. */
export async function startKwok(access: Access): Promise<() => Promise<void>> {
  const admin = new Client(access);
  await applyObjectsOf("kwok", admin);
  const parts = new Parts(controllersProgram(), access.folder);
  parts.start("kwok", [
    `--kubeconfig=${kubeconfigFile("admin", access)}`,
    ...["--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake", "--enable-crds=Stage"],
    ...["--node-lease-duration-seconds=40", "--cidr=10.0.0.0/24", "--node-ip=127.0.0.1"],
  ]);
  return () => parts.stop();
}

/** Creates the objects that a controller prints because it needs them. */
export async function applyObjectsOf(controller: "kwok" | "karpenter", admin: Client): Promise<void> {
  const { stdout } = spawnSync(controllersProgram(), [controller, "objects"], { encoding: "utf8" });
  // Some definitions begin with a separator, which leaves an empty document.
  const objects = (loadAll(stdout) as (KubernetesObject | null)[]).filter((object) => object !== null);
  for (const object of objects) await applyWhenKnown(admin, object);
}

/** Applies an object. The API server accepts its kind some time after the definition. */
export async function applyWhenKnown(admin: Client, object: KubernetesObject): Promise<void> {
  let refused = "";
  const apply = () => admin.apply(object).catch((error: Error) => void (refused = error.message));
  await eventually(`${object.kind} ${object.metadata.name}`, apply, { seen: () => refused });
}
