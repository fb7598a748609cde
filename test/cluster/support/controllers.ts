import { join } from "node:path";
import { describe, inject } from "vitest";
import { kueueChart } from "../../../components/core/versions";
import { saySkipped } from "../../support/skips";
import { made, requirementOf, type Search } from "./go";

const module = "controllers";

/** A folder with the program of KWOK, Karpenter and Kueue, and with the definitions and webhooks of Kueue. */
function findControllers(): Search {
  const [kueue, version] = ["sigs.k8s.io/kueue", `v${kueueChart.version}`];
  if (requirementOf(module, kueue) !== version) {
    return { why: `${module}/go.mod does not require ${kueue} ${version}, the version of the chart` };
  }
  return made({
    module,
    notice: "Building KWOK, Karpenter and Kueue. This takes some minutes, once.",
    args: (path) => ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", `${path}/`, "."],
    copies: { from: kueue, folders: ["config/components/crd/bases", "config/components/webhook"] },
  });
}

const search: Search = inject("clusters").length === 0 ? { why: "There is no control plane." } : findControllers();
if ("why" in search) {
  if (process.env["REQUIRE_CLUSTER"] === "1")
    throw new Error(`The tests with KWOK, Karpenter or Kueue cannot run: ${search.why}`);
  saySkipped(`Tests with KWOK, Karpenter or Kueue are skipped. ${search.why}`);
}

/** Like `describe`, but skipped without a control plane, or without the program of KWOK, Karpenter and Kueue. */
export const describeControllers = describe.skipIf("why" in search);

/** A file of what Go made, e.g. a definition of Kueue. */
export function controllersFile(...path: readonly string[]): string {
  if ("why" in search) throw new Error(search.why);
  return join(search.path, ...path);
}

/** The program of KWOK, Karpenter and Kueue. */
export function controllersProgram(): string {
  return controllersFile(module);
}
