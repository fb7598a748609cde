import { join } from "node:path";
import type { TestProject } from "vitest/node" with { "resolution-mode": "import" };
import { copyOfSource, packed, projectWith, workshop, type Tarball } from "./project";

/** The packed package, and a project in which it is installed. */
export interface Consumer {
  /** The temporary folder of everything below. */
  readonly room: string;
  /** The copy of the repository that was built and packed. */
  readonly source: string;
  readonly tarball: Tarball;
  /** The folder of the project. */
  readonly project: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    consumer: Consumer;
  }
}

/** Packs and installs once for all test files. */
export default async function setup(vitest: TestProject): Promise<() => Promise<void>> {
  const { dir: room, remove } = await workshop();
  try {
    const source = await copyOfSource(room);
    const tarball = await packed(source, room);
    const project = await projectWith(join(room, tarball.filename));
    vitest.provide("consumer", { room, source, tarball, project });
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}
