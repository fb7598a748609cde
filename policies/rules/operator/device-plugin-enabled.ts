import { all, any, equals, not, type Reader, type Truth } from "../../engine/values";
import { adviseAt, failAt, on, type Check } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { gpuAdvertiserTypes, hasOtherAdvertiser } from "../../facts/device-plugins";
import { clusterPolicy, gpuOperator, OperatorValues } from "../../facts/gpu-operator";
import { isInjected, labStacks, orInject } from "../../facts/lab-faults";
import { someOf } from "../../facts/lists";

const lab = "device-plugin";

/** Parts that a lab can do without. Without them the rule only warns. */
const others = [
  {
    part: "dcgmExporter",
    why: "Without it, there are no GPU metrics: dashboards and alerts that use them have no data.",
  },
  {
    part: "nfd",
    why: "Without Node Feature Discovery, nodes do not get the labels that the operator's DaemonSets select, unless you run it yourself.",
  },
] as const;

const whyOff =
  "The ClusterPolicy stays ready, but every node advertises 0 nvidia.com/gpu and pods with a GPU limit stay Pending.";

/**
 * A ClusterPolicy without a device plugin stays ready, and nodes advertise the value 0. Neither the operator's state
 * nor an alert on a missing resource shows the problem. The operator's plugin may be off if another part of the stack
 * advertises the GPUs.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/clusterpolicy_controller.go
 */
export const devicePluginEnabled = clusterRule({
  id: "device-plugin-enabled",
  title: "The GPU Operator runs its device plugin, unless the stack has another one.",
  severity: "high",
  incident:
    "a patch disabled the device plugin; the ClusterPolicy stayed ready, and pods with a GPU limit stayed Pending",
  types: [...gpuAdvertiserTypes],
  parameters: { labStacks },
  *judge(stack, parameters, surroundings) {
    const isIntended = any(isInjected(lab, parameters.labStacks, surroundings), hasOtherAdvertiser(stack));
    const operators = OperatorValues.in(stack);
    const components = operators.filter(({ resource }) => resource.type === gpuOperator);
    for (const operator of operators) {
      const parents = operator.resource.isInside(gpuOperator) ? components : [];
      yield* on(operator.resource, ofOperator(operator, parents, isIntended, orInject(lab, parameters.labStacks)));
    }
  },
});

/** A value that a parent component has too is reported there only. */
function* ofOperator(
  operator: OperatorValues,
  parents: readonly OperatorValues[],
  isIntended: Truth,
  orElse: string,
): Iterable<Check> {
  const { resource } = operator;
  const isInParent = (part: string) =>
    any(...parents.flatMap((component) => toggles(component, part).map(({ isOff }) => isOff)));
  const ownToggles = (part: string) =>
    toggles(operator, part).map(({ path, isOff }) => ({ path, isOff: all(isOff, not(isInParent(part))) }));

  for (const { path, isOff } of ownToggles("devicePlugin")) {
    const fix = `set ${path} to true, or add another device plugin to this stack${orElse}`;
    yield failAt({ path }, all(isOff, not(isIntended)), { got: "false", why: whyOff, fix });
  }
  // A ClusterPolicy has no toggle for Node Feature Discovery, which is a separate chart.
  for (const { part, why } of others.filter((one) => one.part !== "nfd" || resource.type !== clusterPolicy)) {
    for (const { path, isOff } of ownToggles(part)) {
      yield adviseAt({ path }, isOff, { got: "false", why, fix: `set ${path} to true` });
    }
  }
  const env = operator.at("devicePlugin.env");
  yield adviseAt(env, all(hidesInitErrors(operator), not(any(...parents.map(hidesInitErrors)))), {
    got: "FAIL_ON_INIT_ERROR false",
    why: "A device plugin that finds no GPU then waits forever instead of failing visibly.",
    fix: `remove FAIL_ON_INIT_ERROR from ${env.path}`,
  });
}

/** The toggles of a part: in the values of the chart, and for some parts in the arguments of the component. */
function toggles(operator: OperatorValues, part: string): { readonly path: string; readonly isOff: Truth }[] {
  const { resource, isOperator } = operator;
  const key = `${part}.enabled`;
  const inValues = { path: operator.at(key).path, isOff: all(isOperator, operator.isOff(key, true)) };
  if (resource.type !== gpuOperator) return [inValues];
  const argument = resource.boolean(part);
  return [{ path: argument.path, isOff: equals(argument, false) }, inValues];
}

/** The operator sets the variable to true by default. */
function hidesInitErrors(operator: OperatorValues): Truth {
  const hides = (item: Reader) =>
    all(equals(item.text("name"), "FAIL_ON_INIT_ERROR"), equals(item.boolean("value"), false));
  return all(operator.isOperator, someOf(operator.at("devicePlugin.env").list(), hides));
}
