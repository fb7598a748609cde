import type { Reader } from "../../../components/core/reader/reader";
import { all, any, not, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { repels } from "../../../components/core/kubernetes";
import { blocks, someOf } from "./each";
import type { GpuGroup } from "./gpu-capacity";
import { requiredTerms } from "./gpu-placement";
import { meets } from "./node-labels";
import type { PodTemplate } from "./pod-template";

/** Whether the pods may run on nodes of a group: by their node selector, their node affinity and the group's taints. */
export function mayRunOn(pod: PodTemplate, group: GpuGroup): Truth {
  return all(
    group.isGpu,
    isSelected(pod, group),
    isInAffinity(pod, group),
    not(repels(group.group.list("taints"), pod.tolerations)),
  );
}

function isSelected(pod: PodTemplate, group: GpuGroup): Truth {
  return not(
    someOf(pod.spec.entries("nodeSelector"), ([key, wanted]) => {
      const values = wanted.text().map(
        () => [wanted],
        () => "",
      );
      return all(not(wanted.text().isAbsent), not(meets(group, { key, operator: "In", values })));
    }),
  );
}

/** One term is enough; in a term every expression counts. One that says nothing matches no node. */
function isInAffinity(pod: PodTemplate, group: GpuGroup): Truth {
  const terms = requiredTerms(pod);
  if (terms.is(() => true) === false) return true;
  return someOf(terms, (term) => {
    const expressions = blocks(term.list("matchExpressions"));
    const fields = term.list("matchFields");
    return all(
      any(
        someOf(expressions, () => true),
        not(fields.isAbsent),
      ),
      not(someOf(expressions, (expression) => not(meetsExpression(group, expression)))),
      // By fields a term names single nodes.
      fields.isAbsent === true || new Undetermined([fields.path]),
    );
  });
}

function meetsExpression(group: GpuGroup, expression: Reader): Truth {
  return expression
    .text("key")
    .is((key) =>
      expression.text("operator").is((operator) => meets(group, { key, operator, values: expression.list("values") })),
    );
}
