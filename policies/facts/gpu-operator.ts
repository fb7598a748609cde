import { describeVersion } from "../../components/core/reader/describe";
import type { Path } from "../../components/core/reader/paths";
import { all, any, equals, Undetermined, type Reader, type Reading, type Truth } from "../engine/values";
import { withPatch, type Resource, type Stack } from "../engine/resource";
import { chartNamed, chartSources, installers } from "./charts";
import type { InstalledChart } from "./installed-chart";

export const gpuOperator = "eks-gpu-lab:index:GpuOperator";
export const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";
/** A driver that the operator installs. */
export const nvidiaDriver = "kubernetes:nvidia.com/v1alpha1:NVIDIADriver";
/** The ClusterPolicy, and a patch of the one of an operator that is installed outside the stack. */
const policies = withPatch(clusterPolicy);

/** The types that configure the GPU Operator. */
const configuring: readonly string[] = [gpuOperator, ...installers, ...policies];

/** The types that show how a stack configures the GPU Operator. */
export const operatorTypes: readonly string[] = [...configuring, ...chartSources];

/**
 * The configuration of the GPU Operator in a resource: the values of its chart, or the spec of a ClusterPolicy, which
 * has the same keys. The component has custom chart values in addition to its arguments.
 */
export class OperatorValues {
  private constructor(
    readonly resource: Resource,
    /** Whether the resource belongs to the GPU Operator. */
    readonly isOperator: Truth,
    private readonly values: Reader,
    /** Values that the rules cannot read. */
    readonly hidden: InstalledChart["hidden"],
    /** The version of the chart. */
    readonly version: Reading<string>,
  ) {}

  /** @param stack finds the source of a chart in another resource */
  static of(resource: Resource, stack?: Stack): OperatorValues {
    if (policies.includes(resource.type)) {
      return new OperatorValues(resource, true, resource.at("spec"), noneHidden, labelledVersion(resource));
    }
    if (resource.type === gpuOperator) {
      return new OperatorValues(resource, true, resource.at("values"), noneHidden, resource.version("chartVersion"));
    }
    const { isNamed, values, hidden, version } = operatorChart(resource, stack);
    return new OperatorValues(resource, isNamed, values, hidden, version);
  }

  /** Every resource of a stack that may configure the GPU Operator. */
  static in(stack: Stack): OperatorValues[] {
    return stack.ofType(...configuring).map((resource) => OperatorValues.of(resource, stack));
  }

  /** A reader of one value. */
  at(path: Path): Reader {
    return this.values.at(path);
  }

  /** Whether a toggle is on. `byDefault` is the default of the chart, or of the operator for a ClusterPolicy. */
  isOn(path: Path, byDefault: boolean): Truth {
    return this.isSetTo(true, path, byDefault);
  }

  isOff(path: Path, byDefault: boolean): Truth {
    return this.isSetTo(false, path, byDefault);
  }

  private isSetTo(value: boolean, path: Path, byDefault: boolean): Truth {
    const given = this.values.boolean(path);
    return any(equals(given, value), all(given.isAbsent, this.withoutValue(byDefault === value)));
  }

  /** Whether the chart's default applies to a value. */
  isDefault(path: Path): Truth {
    const given = this.values.at(path).list();
    return all(given.isAbsent, this.withoutValue(true));
  }

  /** Hidden values may set it, and no update reveals them. */
  private withoutValue(byDefault: boolean): Truth {
    if (this.hidden.isSome === false) return byDefault;
    return this.hidden.isSome === true ? new Undetermined([]) : this.hidden.isSome;
  }
}

const noneHidden = { isSome: false, path: "values" };

/** The chart of the GPU Operator. Its name is not known for a v4 Chart, which the engine passes without inputs. */
export function operatorChart(resource: Resource, stack?: Stack) {
  const chart = chartNamed(resource, "gpu-operator", stack);
  return resource.isEmpty ? { ...chart, isNamed: new Undetermined(["chart"]) } : chart;
}

/** The version in the label that Helm charts set. */
function labelledVersion(policy: Resource): Reading<string> {
  const label = policy.text(["metadata", "labels", "helm.sh/chart"]);
  return label.map((text) => /^gpu-operator-(.+)$/.exec(text)?.[1], describeVersion);
}
