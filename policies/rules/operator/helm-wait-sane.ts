import { all, equals, not } from "../../engine/values";
import { matchesAny } from "../../engine/glob";
import { count, failAt, resourceRule, texts } from "../../engine/rule";
import { release } from "../../facts/charts";
import { gpuOperator, operatorChart } from "../../facts/gpu-operator";
import { labStackNames } from "../../../components/core/faults";

/**
 * By default, Helm waits 300 seconds. The argument of the component and the property of the Release have the same
 * meaning.
 * @see https://helm.sh/docs/helm/helm_install/
 */
export const helmWaitSane = resourceRule({
  id: "helm-wait-sane",
  title: "Helm waits long enough for the GPU Operator, and a lab keeps a failed installation.",
  severity: "low",
  incident: "an atomic installation was rolled back after 300 seconds each time, and later deployments failed too",
  types: [gpuOperator, release],
  parameters: {
    minSeconds: count(600, 1, "Shortest time that Helm may wait for the chart, in seconds."),
    labStacks: texts(
      labStackNames,
      "Names of stacks that must keep a failed installation. `*` matches any text, `?` one character.",
    ),
  },
  *judge(resource, { minSeconds, labStacks }, { stack }) {
    const isComponent = resource.type === gpuOperator;
    const isOperator = isComponent || operatorChart(resource).isNamed;
    const timeout = isComponent
      ? resource.integer("timeoutSeconds")
      : resource.integer("timeout").or(300, "nothing, which means 300");
    const skipsWait = isComponent ? false : equals(resource.boolean("skipAwait"), true);
    const isShort = timeout.is((seconds) => seconds < minSeconds);
    yield failAt(timeout, all(isOperator, not(skipsWait), isShort), {
      why: "A new node first pulls every image of the operator. With a shorter wait, Helm aborts an installation that would succeed.",
      fix: `set ${timeout.path} to ${minSeconds} or more, for example 900`,
    });
    const atomic = resource.boolean("atomic");
    yield failAt(atomic, all(isOperator, matchesAny(stack, labStacks), equals(atomic, true)), {
      why: "Helm removes a failed installation, including the pods, events and logs that show the cause.",
      fix: `set ${atomic.path} to false`,
    });
  },
});
