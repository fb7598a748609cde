import { variant, type Pack } from "../../engine/pack";
import { shared } from "../shared/rules";
import { version } from "./package.json";

/** Every rule as advice: for `pulumi policy analyze` on the state of existing stacks. */
export const audit: Pack = {
  name: "eks-gpu-lab-audit",
  version,
  description: "Every rule of eks-gpu-lab as advice, for existing stacks.",
  rules: variant(shared.rules, () => ({ level: "advisory" })),
};
