import { all, not, some, type Reader, type Truth } from "../../engine/values";
import { adviseAt, failAt, on, type Check } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { alertRules, alertRuleTypes, gpuAlertMatcher } from "../../facts/alerts";
import { orOpen } from "../../facts/lists";

/**
 * An alert on absence passes if another alert of the stack detects the value 0, directly or through a recording rule.
 * Restarts of the operator also set the value to 0 for a short time, so the alert needs a duration.
 * @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
 */
export const gpuAlertZeroNotAbsent = clusterRule({
  id: "gpu-alert-zero-not-absent",
  title: "Alerts on lost GPUs check for the value 0, not for an absent series.",
  severity: "medium",
  incident:
    "the device plugin was removed and every node advertised 0 GPUs, but the alert waited for the series to disappear",
  types: [...alertRuleTypes],
  *judge(stack) {
    const carried = stack.resources.map((carrier) => ({ carrier, ...alertRules(carrier) }));
    const open = carried.flatMap((one) => one.open);
    const allRules = carried.flatMap(({ rules }) => rules);
    const { checksForZero, checksForAbsence } = gpuAlertMatcher(allRules);
    const isDetected = some(allRules, checksForZero);
    const isMissed = all(not(isDetected), not(orOpen(false, open)));
    for (const { carrier, rules, open: own } of carried) {
      const hasty = (rule: Reader) => all(not(rule.text("alert").isAbsent), checksForZero(rule));
      yield* on(carrier, [
        absence(carrier, all(orOpen(false, own), not(isDetected))),
        ...rules.flatMap((rule) => [absence(rule, all(checksForAbsence(rule), isMissed)), haste(rule, hasty(rule))]),
      ]);
    }
  },
});

function absence(rule: Reader, condition: Truth): Check {
  const expression = rule.at("expr");
  return failAt(expression, condition, {
    got: "absent() of nvidia_com_gpu",
    why: "Without a device plugin, the kubelet keeps the resource and sets it to 0. The series stays, so the alert does not fire.",
    fix: `set ${expression.path} to kube_node_status_allocatable{resource="nvidia_com_gpu"} == 0, joined with the nodes that have the label nvidia.com/gpu.present, and set for to 2m`,
  });
}

function haste(rule: Reader, isHasty: Truth): Check {
  const duration = rule.text("for");
  return adviseAt(duration, all(isHasty, duration.isAbsent), {
    why: "A restart of the device plugin also sets the value to 0 for a short time, which would fire the alert.",
    fix: `set ${duration.path} to 2m`,
  });
}
