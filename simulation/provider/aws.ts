import type { Operation } from "../world/faults";
import { changedKeys } from "./config-difference";
import type { Plugin } from "./plugin";

/** The provider of AWS: a bridge to the one of Terraform. */
export function aws(version: string): Plugin {
  return {
    name: "aws",
    version,
    accepts: { secrets: false, resources: false, outputs: false },
    suffixLength: 7,
    diffConfig: (olds, news) => ({ changed: changedKeys(olds, news), replacing: [] }),
    explain: (operation, what, { code, explanation }) =>
      `${doing[operation]} ${what}: 1 error occurred:\n\t* ${code}: ${explanation}\n`,
  };
}

/** How an error of an operation begins. */
const doing: Readonly<Record<Operation | "invoke", string>> = {
  create: "creating",
  read: "reading",
  update: "updating",
  delete: "deleting",
  invoke: "invoking",
};
