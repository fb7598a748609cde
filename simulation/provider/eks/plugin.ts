import { aws } from "../aws";
import type { Plugin } from "../plugin";
import { constructCluster } from "./cluster";
import type { Construct } from "./construct";

/** The provider of the components for EKS. */
export function eks(version: string): Plugin {
  return {
    ...aws(version),
    name: "eks",
    accepts: { secrets: true, resources: true, outputs: true },
    construct,
  };
}

const construct: Construct = (construction, monitor) => {
  if (construction.type === "eks:index:Cluster") return constructCluster(construction, monitor);
  throw new Error(`The component ${construction.type} is not simulated`);
};
