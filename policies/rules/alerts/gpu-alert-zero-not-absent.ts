import type { Reader } from "../../../components/core/reader/reader";
import { all, not, some, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { adviseIf, failIf, stackRule } from "../../engine/rule";
import { alertRules, carriers, questions } from "../../facts/alerts";

/**
 * An alert on absence is not wrong where another one of the stack finds the 0, also by the name that a recording rule of
 * the stack gives the number. The operator's own restarts make a short 0 too, hence the wait.
 * @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
 */
export const gpuAlertZeroNotAbsent = stackRule({
  id: "gpu-alert-zero-not-absent",
  title: "An alert for lost GPUs looks for the number 0, not for an absent series.",
  severity: "medium",
  incident:
    "the device plugin was gone and every node offered 0 GPUs, but the alert waited for the series to disappear",
  types: carriers,
  *judge(stack) {
    const carried = stack.resources.map((carrier) => ({ carrier, ...alertRules(carrier) }));
    const open = orElse(carried.flatMap((one) => one.open));
    const everything = carried.flatMap(({ rules }) => rules);
    const { asksForZero, asksForAbsence } = questions(everything);
    const found = some(everything, asksForZero);
    const isMissed = all(not(found), not(open));
    for (const { carrier, rules, open: own } of carried) {
      yield failIf(all(orElse(own), not(found)), () => absence(carrier), carrier);
      for (const rule of rules) {
        yield failIf(all(asksForAbsence(rule), isMissed), () => absence(rule), carrier);
        const isHasty = all(not(rule.text("alert").isAbsent), asksForZero(rule));
        yield adviseIf(all(isHasty, rule.text("for").isAbsent), () => haste(rule), carrier);
      }
    }
  },
});

/** False where nothing is open. */
function orElse(open: readonly string[]): Truth {
  return open.length > 0 && new Undetermined([...new Set(open)]);
}

function absence(rule: Reader) {
  const { path } = rule.at("expr");
  return {
    path,
    got: "absent() of nvidia_com_gpu",
    why: "When the device plugin goes, the kubelet keeps the resource and sets it to 0: the series stays, and the alert is silent.",
    fix: `set ${path} to kube_node_status_allocatable{resource="nvidia_com_gpu"} == 0, joined with the nodes that have the label nvidia.com/gpu.present, and for to 2m`,
  };
}

function haste(rule: Reader) {
  const { path } = rule.at("for");
  return {
    path,
    got: "nothing",
    why: "A restart of the device plugin makes a short 0 too, and wakes somebody up.",
    fix: `set ${path} to 2m`,
  };
}
