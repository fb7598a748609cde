import { afterAll, beforeAll } from "vitest";
import { Client } from "./client";
import { applyAll } from "./cluster";
import { startControlPlane, type ControlPlane } from "./control-plane";
import { eventually } from "./eventually";
import { findControlPlane } from "./find-control-plane";
import { kubeconfigFile } from "./kubeconfig";
import { startKwok } from "./kwok";
import type { PlannedObject } from "./planned";

/** The settings of a stack on this cluster. */
export const localSettings = ["localCluster.context=loopback", "localCluster.gpus=fake"] as const;

/** A control plane with KWOK for the tests of a block. The objects of fake GPUs are cluster-wide, so it is not shared. */
export class KwokCluster {
  private started: { readonly controlPlane: ControlPlane; readonly stopKwok: () => Promise<void> } | undefined;

  constructor() {
    beforeAll(async () => {
      const binary = findControlPlane();
      if ("why" in binary) throw new Error(binary.why);
      const controlPlane = await startControlPlane(binary.path);
      this.started = { controlPlane, stopKwok: await startKwok(controlPlane.access) };
    }, 1_200_000);
    afterAll(async () => {
      await this.started?.stopKwok();
      await this.started?.controlPlane.stop();
    });
  }

  get access() {
    if (!this.started) throw new Error("The cluster is not open.");
    return this.started.controlPlane.access;
  }

  get admin(): Client {
    return new Client(this.access);
  }

  /** The path of a kubeconfig of the administrator. */
  get kubeconfig(): string {
    return kubeconfigFile("admin", this.access);
  }

  /** Creates the objects of a lab, one after the other: a kind exists some time after its definition. */
  async apply(objects: readonly PlannedObject[]): Promise<void> {
    const { admin } = this;
    for (const { line, manifest } of objects) {
      await eventually(line, () => applyAll({ admin }, [manifest]).catch(retryUnknownKind), { seconds: 20 });
    }
  }

  async remove(objects: readonly PlannedObject[]): Promise<void> {
    const { admin } = this;
    for (const { manifest } of [...objects].reverse()) {
      const path = await admin.pathOf(manifest);
      await admin.delete(path);
      const isGone = async () => ((await admin.find(path)) ? undefined : true);
      await eventually(`the end of ${path}`, isGone, { seconds: 60 });
    }
  }
}

function retryUnknownKind(error: Error): undefined {
  if (!/has no|could not find the requested resource|404/.test(error.message)) throw error;
}
