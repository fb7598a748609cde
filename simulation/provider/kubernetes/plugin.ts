import type { Plugin } from "../plugin";
import { kubernetesConfigDifference } from "./config-difference";

/** The provider of Kubernetes objects and Helm releases. */
export function kubernetes(version: string): Plugin {
  return {
    name: "kubernetes",
    version,
    accepts: { secrets: true, resources: false, outputs: false },
    suffixLength: 8,
    diffConfig: kubernetesConfigDifference,
    explain: (_operation, _what, { explanation }) => explanation,
  };
}
