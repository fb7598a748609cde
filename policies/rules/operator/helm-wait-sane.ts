import { all, not } from "../../../components/core/reader/truth";
import { matchesAny } from "../../engine/glob";
import { count, texts } from "../../engine/parameters";
import { failIf, resourceRule } from "../../engine/rule";
import { release } from "../../facts/charts";
import { gpuOperator, installsOperator } from "../../facts/gpu-operator";
import { labStackNames } from "../../../components/core/faults";

const parameters = {
  minSeconds: count(600, 1, "Fewest seconds that Helm may wait for the chart."),
  labStacks: texts(
    labStackNames,
    "Names of stacks where a failed install should stay to be looked at; * stands for any text, ? for one character.",
  ),
};

/**
 * Helm waits 300 seconds by itself. The component's argument and the Release's property mean the same.
 * @see https://helm.sh/docs/helm/helm_install/
 */
export const helmWaitSane = resourceRule({
  id: "helm-wait-sane",
  title: "Helm waits long enough for the GPU Operator, and a lab keeps an install that failed.",
  severity: "low",
  incident:
    "an atomic install with 300 seconds to go was rolled back each time, and every deployment after it failed as well",
  types: [gpuOperator, release],
  parameters,
  *judge(resource, { minSeconds, labStacks }, { stack }) {
    const isComponent = resource.type === gpuOperator;
    const isOperator = isComponent || installsOperator(resource);
    const timeout = isComponent
      ? resource.integer("timeoutSeconds")
      : resource.integer("timeout").or(300, "nothing, which is 300");
    const skipsWait = isComponent ? false : resource.boolean("skipAwait").is((value) => value);
    yield failIf(
      all(
        isOperator,
        not(skipsWait),
        timeout.is((seconds) => seconds < minSeconds),
      ),
      () => ({
        path: timeout.path,
        got: timeout.shown,
        why: "A fresh node pulls every image of the operator first, and Helm then gives up on an install that would succeed.",
        fix: `set ${timeout.path} to ${minSeconds} or more, 900 for instance`,
      }),
    );
    const atomic = resource.boolean("atomic");
    yield failIf(
      all(
        isOperator,
        matchesAny(stack, labStacks),
        atomic.is((value) => value),
      ),
      () => ({
        path: atomic.path,
        got: atomic.shown,
        why: "Helm removes what failed, and with it every pod, event and log that would tell why.",
        fix: `set ${atomic.path} to false`,
      }),
    );
  },
});
