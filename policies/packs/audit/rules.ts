import { variant, type Pack } from "../../engine/pack";
import { shared } from "../shared/rules";
import { version } from "./package.json";

/** Every rule, and none that stops anybody: for `pulumi policy analyze` on the state of what runs already. */
export const audit: Pack = {
  name: "eks-gpu-lab-audit",
  version,
  description: "Every rule of eks-gpu-lab as advice, for what runs already.",
  rules: variant(shared.rules, () => ({ level: "advisory" })),
};
