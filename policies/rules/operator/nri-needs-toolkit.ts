import { failIf, resourceRule } from "../../core/rule";
import { all, any } from "../../core/unknown";
import { gpuOperator, operatorTypes, OperatorValues } from "./operator-values";

/**
 * The NRI plugin is a part of the operator's container toolkit, and hands out devices by CDI. The operator refuses a
 * ClusterPolicy, and the chart its values, that ask for it without these two. The component keeps the toolkit off.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/templates/validations.yaml
 */
export const nriNeedsToolkit = resourceRule({
  id: "nri-needs-toolkit",
  title: "The GPU Operator's NRI plugin is on only together with its toolkit and CDI.",
  severity: "high",
  incident:
    "the chart with its NRI plugin on was tried on nodes whose AMI brings the toolkit, and Helm refused to render it",
  types: operatorTypes,
  *judge(resource) {
    const operator = OperatorValues.of(resource);
    const plugin = operator.flag("cdi.nriPluginEnabled");
    const withoutToolkit = operator.isOff("toolkit.enabled", resource.type !== gpuOperator);
    const withoutCdi = operator.isOff("cdi.enabled", true);
    yield failIf(
      all(operator.isOperator, operator.isOn("cdi.nriPluginEnabled", false), any(withoutToolkit, withoutCdi)),
      () => {
        const missing = withoutToolkit === true ? "toolkit.enabled" : "cdi.enabled";
        const why = `${operator.at(missing).path} is off, and the NRI plugin works only with it: the chart fails while Helm renders it.`;
        return { path: plugin.path, got: plugin.shown, why, fix: `set ${plugin.path} to false` };
      },
    );
  },
});
