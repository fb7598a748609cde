import { join } from "node:path";
import { usePulumi } from "../../../support/fake-pulumi";
import { folder } from "../../../support/files";
import { region } from "./orphans";

export interface StateFields {
  readonly resources?: readonly object[];
  readonly pending_operations?: readonly { readonly type: string }[];
}

/**
 * A Pulumi CLI with a stack `gpu-lab` that has this state, and later the next one. Returns the file with the state that was
 * imported.
 */
export function useStack(deployment: StateFields, next = deployment, more: object = {}): () => string {
  const config = { "aws:region": { value: region }, "eks-gpu-lab:clusterName": { value: "myeks" }, ...more };
  const files = folder({
    "export.json": JSON.stringify({ version: 3, deployment }),
    "next.json": JSON.stringify({ version: 3, deployment: next }),
    "config.json": JSON.stringify(config),
  });
  usePulumi(`case "$1 $2" in
"stack export") cat ${files}/export.json && cp ${files}/next.json ${files}/export.json ;;
"stack import") cp "$4" ${files}/imported.json ;;
"config --json") cat ${files}/config.json ;;
"stack --show-name") echo organization/eks-gpu-lab/gpu-lab ;;
*) exit 1 ;;
esac`);
  return () => join(files, "imported.json");
}
