import type { Recording } from "../../../planner/record/record";
import { asAnalyzed } from "../../../planner/record/recorded-resource";
import { judge, type Pack } from "../../../policies/engine/judge";
import { packs } from "../../../policies/packs";

const about = { project: "eks-gpu-lab", stack: "observe", config: { "aws:region": "ap-northeast-2" } };

/** What the packs lab and shared object to in what a program registers: rule, verdict and path. */
export function objections({ resources }: Recording): string[] {
  const analyzed = resources.map(asAnalyzed);
  return [packs.lab, packs.shared].flatMap((pack: Pack) =>
    judge(pack, analyzed, about).map(({ rule, verdict, message }) => `${rule} ${verdict} ${message}`),
  );
}
