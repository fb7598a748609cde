import { join } from "node:path";
import { describe, inject } from "vitest";
import { saySkipped } from "../../support/skips";
import { made, type Search } from "./go";

const module = "controllers";

/** A folder with the program of Karpenter and Kueue, and with the definitions and webhooks of Kueue. */
function findControllers(): Search {
  return made({
    module,
    notice: "Building Karpenter and Kueue. This takes some minutes, once.",
    args: (path) => ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", `${path}/`, "."],
    copies: {
      from: "sigs.k8s.io/kueue",
      folders: ["config/components/crd/bases", "config/components/webhook"],
    },
  });
}

const search: Search = inject("clusters").length === 0 ? { why: "There is no control plane." } : findControllers();
if ("why" in search) {
  if (process.env["REQUIRE_CLUSTER"] === "1")
    throw new Error(`The tests with Karpenter and Kueue cannot run: ${search.why}`);
  saySkipped(`Tests with Karpenter and Kueue are skipped. ${search.why}`);
}

/** Like `describe`, but skipped without a control plane, or without Karpenter and Kueue. */
export const describeControllers = describe.skipIf("why" in search);

/** A file of what Go made, e.g. a definition of Kueue. */
export function controllersFile(...path: readonly string[]): string {
  if ("why" in search) throw new Error(search.why);
  return join(search.path, ...path);
}

/** The program of Karpenter and Kueue. */
export function controllersProgram(): string {
  return controllersFile(module);
}
