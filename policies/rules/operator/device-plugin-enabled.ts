import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { gpuOfferTypes, offersGpusOtherwise } from "../../facts/device-plugins";
import { clusterPolicy, gpuOperator, OperatorValues } from "../../facts/gpu-operator";
import { isFaultOf, labStacks, orByLab } from "../../facts/lab-faults";

const lab = "device-plugin";

/** What is missed where a part is off: a warning, for a lab may do without. */
const others = [
  { part: "dcgmExporter", why: "Nobody then sees what the GPUs do: dashboards and alerts on GPU metrics stay empty." },
  {
    part: "nfd",
    why: "Without Node Feature Discovery no node gets the labels that the operator's DaemonSets wait for, unless another one runs.",
  },
] as const;

const whyOff =
  "The ClusterPolicy stays ready, while every node offers 0 of nvidia.com/gpu and pods that ask for one stay Pending.";

/**
 * A ClusterPolicy without a device plugin counts as ready, and the node keeps the key with the value 0, so that neither
 * the operator's state nor an alert on a missing key tells. Where something else in the stack offers the GPUs the
 * operator's plugin may be off, and must be beside another device plugin.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/clusterpolicy_controller.go
 */
export const devicePluginEnabled = stackRule({
  id: "device-plugin-enabled",
  title: "The GPU Operator runs what makes GPUs usable: its device plugin, unless another takes its place.",
  severity: "high",
  incident:
    "the device plugin was patched away, the ClusterPolicy stayed ready, and pods that asked for a GPU stayed Pending",
  types: gpuOfferTypes,
  parameters: { labStacks },
  *judge(stack, parameters, surroundings) {
    const isMeant = any(isFaultOf(lab, parameters.labStacks, surroundings), offersGpusOtherwise(stack));
    const operators = OperatorValues.in(stack);
    const components = operators.filter(({ resource }) => resource.type === gpuOperator);
    for (const operator of operators) {
      const above = operator.resource.isInside(gpuOperator) ? components : [];
      yield* ofOperator(operator, above, isMeant, orByLab(lab, parameters.labStacks));
    }
  },
});

/** What the components above say too they are blamed for. */
function* ofOperator(
  operator: OperatorValues,
  above: readonly OperatorValues[],
  isMeant: Truth,
  orElse: string,
): Iterable<Check> {
  const { resource } = operator;
  const isSaidAbove = (part: string) =>
    any(...above.flatMap((component) => switches(component, part).map(({ isOff }) => isOff)));
  const ownSwitches = (part: string) =>
    switches(operator, part).map(({ path, isOff }) => ({ path, isOff: all(isOff, not(isSaidAbove(part))) }));

  for (const { path, isOff } of ownSwitches("devicePlugin")) {
    yield failIf(all(isOff, not(isMeant)), () => pluginFault(path, orElse), resource);
  }
  // The spec of a ClusterPolicy has no switch for Node Feature Discovery, which is a chart of its own.
  for (const { part, why } of others.filter((one) => one.part !== "nfd" || resource.type !== clusterPolicy)) {
    for (const { path, isOff } of ownSwitches(part)) yield adviseIf(isOff, () => partFault(path, why), resource);
  }
  yield adviseIf(
    all(hidesInitErrors(operator), not(any(...above.map(hidesInitErrors)))),
    () => environmentFault(operator.at("devicePlugin.env").path),
    resource,
  );
}

/** Where it is said whether a part runs: in the chart's values, and for some parts in the component's arguments. */
function switches(operator: OperatorValues, part: string): { readonly path: string; readonly isOff: Truth }[] {
  const { resource, isOperator } = operator;
  const key = `${part}.enabled`;
  const inValues = { path: operator.at(key).path, isOff: all(isOperator, operator.isOff(key, true)) };
  if (resource.type !== gpuOperator) return [inValues];
  const argument = resource.boolean(part);
  return [{ path: argument.path, isOff: argument.is((on) => !on) }, inValues];
}

/** The operator itself sets the variable to true. */
function hidesInitErrors(operator: OperatorValues): Truth {
  const isHidden = operator
    .at("devicePlugin.env")
    .list()
    .is((items) =>
      any(
        ...items.map((item) =>
          all(
            item.text("name").is((name) => name === "FAIL_ON_INIT_ERROR"),
            item.boolean("value").is((value) => !value),
          ),
        ),
      ),
    );
  return all(operator.isOperator, isHidden);
}

function pluginFault(path: string, orElse: string) {
  const fix = `set ${path} to true, or add the device plugin that takes its place to this stack${orElse}`;
  return { path, got: "false", why: whyOff, fix };
}

function partFault(path: string, why: string) {
  return { path, got: "false", why, fix: `set ${path} to true` };
}

function environmentFault(path: string) {
  return {
    path,
    got: "FAIL_ON_INIT_ERROR false",
    why: "A device plugin that finds no GPU then waits for ever instead of failing where somebody sees it.",
    fix: `remove FAIL_ON_INIT_ERROR from ${path}`,
  };
}
