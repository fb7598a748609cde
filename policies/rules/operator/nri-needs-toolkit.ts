import { all, any } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { gpuOperator, operatorTypes, OperatorValues } from "../../facts/gpu-operator";

/**
 * The NRI plugin is part of the operator's container toolkit and injects devices with CDI. Without CDI, the chart fails
 * to render. Without the toolkit, charts from v26.7.0 fail to render; earlier charts install without the plugin. The
 * component keeps the toolkit off.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/templates/validations.yaml
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/templates/validations.yaml
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/state_manager.go#L1100-L1155
 */
export const nriNeedsToolkit = resourceRule({
  id: "nri-needs-toolkit",
  title: "The GPU Operator enables the NRI plugin only together with its toolkit and CDI.",
  severity: "high",
  incident:
    "the NRI plugin was enabled on nodes whose AMI contains the toolkit; the installation succeeded, but no plugin ran",
  types: operatorTypes,
  *judge(resource) {
    const operator = OperatorValues.of(resource);
    const plugin = operator.at("cdi.nriPluginEnabled").boolean();
    const withoutToolkit = operator.isOff("toolkit.enabled", resource.type !== gpuOperator);
    const withoutCdi = operator.isOff("cdi.enabled", true);
    const isOn = operator.isOn("cdi.nriPluginEnabled", false);
    yield failAt(plugin, all(operator.isOperator, isOn, any(withoutToolkit, withoutCdi)), {
      why:
        withoutCdi === true
          ? `${operator.at("cdi.enabled").path} is off, but the plugin injects devices with CDI. Helm cannot render the chart, and the operator rejects the ClusterPolicy.`
          : `${operator.at("toolkit.enabled").path} is off, but the plugin is part of the toolkit. It does not run, but the operator relies on it and does not create a runtime class. From v26.7.0, Helm cannot render the chart.`,
      fix: `set ${plugin.path} to false`,
    });
  },
});
