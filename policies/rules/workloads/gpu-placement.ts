import type { Reader } from "../../../components/core/reader/reader";
import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import { blocks, someOf } from "./each";
import type { PodTemplate } from "./pod-template";

const required = "requiredDuringSchedulingIgnoredDuringExecution";

/**
 * Whether pods bear a taint that keeps others off GPU nodes. Its value and whether it evicts stand in the node group,
 * so any value counts, and each effect but the one that keeps nobody away.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export function toleratesTaint(pod: PodTemplate, taintKey: string): Truth {
  return someOf(pod.tolerations, (toleration) => {
    const key = toleration.text("key").or("");
    const effect = toleration.text("effect").or("");
    const exists = toleration.text("operator").is((operator) => operator === "Exists");
    return all(
      any(
        key.is((name) => name === taintKey),
        all(
          exists,
          key.is((name) => name === ""),
        ),
      ),
      effect.is((word) => ["", "NoSchedule", "NoExecute"].includes(word)),
    );
  });
}

/** Whether the node selector of pods names such a label. */
export function selectsBy(pod: PodTemplate, isMeant: (label: string) => boolean): Truth {
  return someOf(pod.spec.entries("nodeSelector"), ([label, value]) => all(isMeant(label), not(value.text().isAbsent)));
}

/** Whether the node affinity of pods demands such a label. */
export function demands(pod: PodTemplate, isMeant: (label: string) => boolean): Truth {
  return someOf(requiredTerms(pod), (term) => termSelects(term, isMeant));
}

/** The terms of the node affinity that pods demand; one of them is enough. */
export function requiredTerms(pod: PodTemplate) {
  return blocks(pod.spec.list(["affinity", "nodeAffinity", required, "nodeSelectorTerms"]));
}

function termSelects(term: Reader, isMeant: (label: string) => boolean): Truth {
  return someOf(blocks(term.list("matchExpressions")), (expression) =>
    all(
      expression.text("key").is(isMeant),
      expression.text("operator").is((operator) => operator === "In" || operator === "Exists"),
    ),
  );
}
