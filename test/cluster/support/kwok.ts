import { spawnSync } from "node:child_process";
import { loadAll } from "js-yaml";
import { Client, type KubernetesObject } from "./client";
import { Parts, type Access } from "./control-plane";
import { eventually } from "./eventually";
import { made, type Search } from "./go";
import { kubeconfigFile } from "./kubeconfig";

/** The program of KWOK, with the objects that a cluster needs. */
export function findKwok(): Search {
  return made({
    module: "kwok",
    notice: "Building KWOK. This takes some minutes, once.",
    args: (path) => ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", path, "."],
  });
}

/** Starts KWOK on a control plane, as its documentation says. Returns what stops it. */
export async function startKwok(binary: string, access: Access): Promise<() => Promise<void>> {
  const admin = new Client(access);
  await applyObjectsOf(binary, admin);
  const parts = new Parts(binary, access.folder);
  parts.start("kwok", [
    `--kubeconfig=${kubeconfigFile("admin", access)}`,
    ...["--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake", "--enable-crds=Stage"],
    ...["--node-lease-duration-seconds=40", "--cidr=10.0.0.0/24", "--node-ip=127.0.0.1"],
  ]);
  return () => parts.stop();
}

/** Creates the objects that a program prints because it needs them. */
export async function applyObjectsOf(binary: string, admin: Client): Promise<void> {
  const { stdout } = spawnSync(binary, ["objects"], { encoding: "utf8" });
  for (const object of loadAll(stdout) as KubernetesObject[]) await applyWhenKnown(admin, object);
}

/** Applies an object. The API server accepts its kind some time after the definition. */
export async function applyWhenKnown(admin: Client, object: KubernetesObject): Promise<void> {
  let refused = "";
  const apply = () => admin.apply(object).catch((error: Error) => void (refused = error.message));
  await eventually(`${object.kind} ${object.metadata.name}`, apply, { seen: () => refused });
}
