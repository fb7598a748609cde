import { describeVersion } from "../../components/core/reader/describe";
import type { Path } from "../../components/core/reader/paths";
import type { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { all, any, Undetermined, type Truth } from "../../components/core/reader/truth";
import { patchOf, type Resource, type Stack } from "../engine/resource";
import { chartReference, chartV3, installers, installsChart } from "./charts";

export const gpuOperator = "eks-gpu-lab:index:GpuOperator";
export const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";
/** A patch of the ClusterPolicy of an operator that is installed outside the stack. */
export const clusterPolicyPatch = patchOf(clusterPolicy);

/** The types that configure the GPU Operator. */
export const operatorTypes: readonly string[] = [gpuOperator, ...installers, clusterPolicy, clusterPolicyPatch];

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
    /** Whether values may come from files, which the rules cannot read. */
    private readonly hasFiles: Truth,
  ) {}

  static of(resource: Resource): OperatorValues {
    if (isClusterPolicy(resource)) return new OperatorValues(resource, true, resource.at("spec"), false);
    const values = resource.at("values");
    if (resource.type === gpuOperator) return new OperatorValues(resource, true, values, false);
    const files = resource.list("valueYamlFiles");
    const hasFiles = any(
      files.isMalformed,
      files.is((items) => items.length > 0),
    );
    return new OperatorValues(resource, installsOperator(resource), values, hasFiles);
  }

  /** Every resource of a stack that may configure the GPU Operator. */
  static in(stack: Stack): OperatorValues[] {
    return stack.ofType(...operatorTypes).map((resource) => OperatorValues.of(resource));
  }

  /** A reader of one value. */
  at(path: Path): Reader {
    return this.values.at(path);
  }

  /** A toggle of the chart. */
  flag(path: Path): Reading<boolean> {
    return this.values.boolean(path);
  }

  /** Whether a toggle is on. `byDefault` is the default of the chart, or of the operator for a ClusterPolicy. */
  isOn(path: Path, byDefault: boolean): Truth {
    const given = this.flag(path);
    return any(
      given.is((value) => value),
      all(given.isAbsent, this.withoutValue(given, byDefault)),
    );
  }

  isOff(path: Path, byDefault: boolean): Truth {
    const given = this.flag(path);
    return any(
      given.is((value) => !value),
      all(given.isAbsent, this.withoutValue(given, !byDefault)),
    );
  }

  /** Whether the chart's default applies to a value. */
  isDefault(path: Path): Truth {
    const given = this.values.at(path).list();
    return all(given.isAbsent, this.withoutValue(given, true));
  }

  /** A value that is not in `values` may be in a file. */
  private withoutValue(given: { readonly path: string }, byDefault: boolean): Truth {
    return this.hasFiles === false ? byDefault : new Undetermined([given.path]);
  }
}

/** Whether a chart is the GPU Operator's. Not known for a v4 Chart, which the engine passes without inputs. */
export function installsOperator(resource: Resource): Truth {
  return resource.isEmpty ? new Undetermined(["chart"]) : installsChart(resource, "gpu-operator");
}

function isClusterPolicy({ type }: Resource): boolean {
  return type === clusterPolicy || type === clusterPolicyPatch;
}

/** The version of the chart. A version in the chart reference overrides any other. */
export function operatorVersion(resource: Resource): Reading<string> {
  if (resource.type === gpuOperator) return resource.version("chartVersion");
  if (isClusterPolicy(resource)) {
    const label = resource.text(["metadata", "labels", "helm.sh/chart"]);
    return label.map((text) => /^gpu-operator-(.+)$/.exec(text)?.[1], describeVersion);
  }
  const inReference = resource.text("chart").map((reference) => chartReference(reference).version, describeVersion);
  const paths = resource.type === chartV3 ? ["version", "fetchOpts.version"] : ["version"];
  const stated = paths.map((path) => resource.version(path));
  return [inReference, ...stated].find(({ isAbsent }) => isAbsent !== true) ?? resource.version("version");
}
