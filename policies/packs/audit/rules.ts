import { pack } from "../../engine/define-pack";
import { shared } from "../shared/rules";
import { version } from "./package.json";

/** Every rule as advice: for `pulumi policy analyze` on the state of existing stacks. */
export const audit = pack({
  name: "eks-gpu-lab-audit",
  version,
  description: "Every rule of eks-gpu-lab as advice, for existing stacks.",
  extends: shared,
  settings: { all: "advisory" },
});
