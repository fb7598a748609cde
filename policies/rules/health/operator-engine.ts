import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource, Stack } from "../../engine/resource";
import { all, any, not, some, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { installers, installsChart } from "../operator/chart-reference";
import { clusterPolicy, gpuOperator, OperatorValues } from "../operator/operator-values";

/** Where an exporter is told that an engine runs outside of it. */
export const remoteEngine = "DCGM_REMOTE_HOSTENGINE_INFO";

/** What tells the GPU Operator of its engine. What the component is told arrives in its Release. */
export function operatorsOf(stack: Stack): OperatorValues[] {
  return OperatorValues.in(stack).filter(({ resource }) => resource.type !== gpuOperator);
}

/** Whether the operator runs an engine in a DaemonSet of its own. The chart leaves it off; a ClusterPolicy that says nothing turns it on. */
export function runsDcgm(operator: OperatorValues): Truth {
  return operator.isOn("dcgm.enabled", operator.resource.type === clusterPolicy);
}

export function runsExporter(operator: OperatorValues): Truth {
  return operator.isOn("dcgmExporter.enabled", true);
}

/** Whether the operator runs an engine in one way or the other. */
export function hasEngine(operator: OperatorValues): Truth {
  const inExporter = all(runsExporter(operator), not(looksElsewhere(operator)));
  return all(operator.isOperator, any(runsDcgm(operator), inExporter));
}

/** Whether the operator's exporter is told of an engine outside of it whose address meets a condition. */
export function looksElsewhere(operator: OperatorValues, condition?: (address: Reading<string>) => Truth): Truth {
  return isTold(operator.at("dcgmExporter.env"), condition);
}

/**
 * Whether a resource is the chart dcgm-exporter, and no engine outside of it is named: then it runs one itself.
 * @see https://github.com/NVIDIA/dcgm-exporter/blob/main/deployment/values.yaml
 */
export function isExporterWithEngine(resource: Resource): Truth {
  if (!installers.includes(resource.type)) return false;
  const isNamed = any(
    isTold(resource.at("values.extraEnv")),
    resource.list("values.arguments").is((words) => some(words, (word) => word.text().is(namesEngine))),
    // Values may come from files as well, which no rule sees.
    resource.list("valueYamlFiles").is((files) => files.length > 0 && new Undetermined(["valueYamlFiles"])),
  );
  return all(installsChart(resource, "dcgm-exporter"), not(isNamed));
}

function namesEngine(argument: string): boolean {
  return /^\s*(?:-r|--remote-hostengine-info)(?![\w-])/.test(argument);
}

function isTold(variables: Reader, condition: (address: Reading<string>) => Truth = () => true): Truth {
  const isSuch = (variable: Reader) =>
    all(
      variable.text("name").is((name) => name === remoteEngine),
      condition(variable.text("value")),
    );
  return variables.list().is((items) => some(items, isSuch));
}
