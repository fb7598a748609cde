import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node" with { "resolution-mode": "import" };
import { findPulumi, onPath } from "../../../simulation/pulumi/find-pulumi";
import "../../engine/support/setup";
import { Client } from "./client";
import { startControlPlane, type Access, type ControlPlane } from "./control-plane";
import { defineCustomResources, findCustomResources } from "./custom-resources";
import { findControlPlane } from "./find-control-plane";
import { saySkipped } from "../../support/skips";

declare module "vitest" {
  export interface ProvidedContext {
    /** A running control plane for each worker. Without any, the tests are skipped. */
    clusters: readonly Access[];
    /** Whether texts of Kubernetes are recorded instead of compared: `--update`. */
    recordsMessages: boolean;
    /** The Kubernetes provider of Pulumi. Without it, or without the Pulumi CLI, tests with `pulumi up` are skipped. */
    kubernetesProvider: string | undefined;
  }
}

/** Looks for what deploys stacks, and reports what is missing. */
function providePulumi(project: TestProject): void {
  const search = findPulumi();
  const provider = onPath("pulumi-resource-kubernetes");
  project.provide("pulumi", search.cli);
  project.provide("kubernetesProvider", provider);
  const missing = search.cli ? "pulumi-resource-kubernetes is not on the PATH" : search.why;
  if (!search.cli || provider === undefined) saySkipped(`Tests with pulumi up are skipped. ${missing}`);
}

/** Starts a control plane for each worker, or reports why there is none. Returns what stops them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide("recordsMessages", project.config.snapshotOptions.updateSnapshot === "all");
  providePulumi(project);
  const binary = findControlPlane();
  const definitions = findCustomResources();
  if ("why" in binary || "why" in definitions) {
    const why = [binary, definitions].flatMap((one) => ("why" in one ? [one.why] : []))[0] ?? "";
    if (process.env["REQUIRE_CLUSTER"] === "1") throw new Error(`The cluster tests cannot run: ${why}`);
    saySkipped(`Cluster tests are skipped. ${why}`);
    project.provide("clusters", []);
    return () => Promise.resolve();
  }
  const start = () => startWithCustomResources(binary.path, definitions.path);
  const started = await Promise.all(Array.from({ length: project.config.maxWorkers }, start));
  project.provide(
    "clusters",
    started.map(({ access }) => access),
  );
  return async () => {
    for (const { access, stop } of started) {
      await stop();
      if (process.exitCode) process.stderr.write(`Logs of a control plane: ${access.folder}\n`);
      else rmSync(access.folder, { recursive: true, force: true });
    }
  };
}

async function startWithCustomResources(program: string, definitions: string): Promise<ControlPlane> {
  const controlPlane = await startControlPlane(program);
  await defineCustomResources(new Client(controlPlane.access), definitions).catch(async (error: unknown) => {
    await controlPlane.stop();
    throw error;
  });
  return controlPlane;
}
