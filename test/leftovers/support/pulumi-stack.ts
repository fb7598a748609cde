import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { region } from "./orphans";

export interface StateFields {
  readonly resources?: readonly object[];
  readonly pending_operations?: readonly { readonly type: string }[];
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "eks-gpu-lab-pulumi-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A Pulumi CLI with a stack `gpu-lab` that has this state, and later the next one. Returns the file with the state that was
 * imported.
 */
export function usePulumi(deployment: StateFields, next = deployment): () => string {
  const bin = temporaryFolder();
  const config = { "aws:region": { value: region }, "eks-gpu-lab:clusterName": { value: "myeks" } };
  writeFileSync(join(bin, "export.json"), JSON.stringify({ version: 3, deployment }));
  writeFileSync(join(bin, "next.json"), JSON.stringify({ version: 3, deployment: next }));
  writeFileSync(join(bin, "config.json"), JSON.stringify(config));
  const script = `#!/bin/sh
case "$1 $2" in
"stack export") cat ${bin}/export.json && cp ${bin}/next.json ${bin}/export.json ;;
"stack import") cp "$4" ${bin}/imported.json ;;
"config --json") cat ${bin}/config.json ;;
"stack --show-name") echo organization/eks-gpu-lab/gpu-lab ;;
*) exit 1 ;;
esac
`;
  writeFileSync(join(bin, "pulumi"), script);
  chmodSync(join(bin, "pulumi"), 0o755);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  return () => join(bin, "imported.json");
}
