import type { Conclusion, FindingId } from "./finding";
import { aboutNodes } from "./walk/about";
import { grouped } from "./walk/scene";

const mostEvidence = 5;
/** Drawn for each node, and told once: a whole group of nodes is often alike. */
const foldable: readonly FindingId[] = ["gpu-allocatable-zero", "gpu-allocatable-missing"];

/** Conclusions about single nodes that say the same and follow from the same become one about all of these nodes. */
export function fold(conclusions: readonly Conclusion[]): Conclusion[] {
  const alike = grouped(conclusions, ({ id, subject, level, what, because = "" }) =>
    (foldable.includes(id) ? [id, level, what, because] : [id, subject]).join("\n"),
  );
  return [...alike.values()].flatMap(([first, ...others]) => (first ? folded(first, others) : []));
}

function folded(first: Conclusion, others: readonly Conclusion[]): Conclusion {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const causes = new Map(all.flatMap(({ causes = [] }) => causes).map((one) => [`${one.id} ${one.subject}`, one]));
  return {
    ...first,
    ...aboutNodes(all.flatMap(({ nodes }) => nodes)),
    evidence: all.flatMap(({ evidence }) => evidence).slice(0, mostEvidence),
    ...(causes.size > 0 && { causes: [...causes.values()] }),
  };
}
