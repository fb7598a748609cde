import { all, any } from "../../../components/core/reader/truth";
import { failIf, resourceRule } from "../../engine/rule";
import { gpuOperator, operatorTypes, OperatorValues } from "../../facts/gpu-operator";

/**
 * The NRI plugin is a part of the operator's container toolkit, and hands out devices by CDI. Without CDI the chart
 * fails to render and the operator refuses the ClusterPolicy. Without the toolkit only the chart of v26.7.0 and later
 * does; before, the install succeeds. The component keeps the toolkit off.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/templates/validations.yaml
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/templates/validations.yaml
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/state_manager.go#L1100-L1155
 */
export const nriNeedsToolkit = resourceRule({
  id: "nri-needs-toolkit",
  title: "The GPU Operator's NRI plugin is on only together with its toolkit and CDI.",
  severity: "high",
  incident:
    "the NRI plugin was asked for on nodes whose AMI brings the toolkit: the install succeeded, and no plugin ever ran",
  types: operatorTypes,
  *judge(resource) {
    const operator = OperatorValues.of(resource);
    const plugin = operator.flag("cdi.nriPluginEnabled");
    const withoutToolkit = operator.isOff("toolkit.enabled", resource.type !== gpuOperator);
    const withoutCdi = operator.isOff("cdi.enabled", true);
    yield failIf(
      all(operator.isOperator, operator.isOn("cdi.nriPluginEnabled", false), any(withoutToolkit, withoutCdi)),
      () => ({
        path: plugin.path,
        got: plugin.shown,
        why:
          withoutCdi === true
            ? `${operator.at("cdi.enabled").path} is off, and the plugin hands out devices by CDI: the chart fails while Helm renders it, and the operator refuses such a ClusterPolicy.`
            : `${operator.at("toolkit.enabled").path} is off, and the plugin is a part of the toolkit: nothing runs it, while the operator relies on it and makes no runtime class. From v26.7.0 on the chart fails while Helm renders it.`,
        fix: `set ${plugin.path} to false`,
      }),
    );
  },
});
