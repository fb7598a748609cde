import { describeVersion } from "../../components/core/reader/describe";
import type { Path, Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { all, any, Undetermined, type Truth } from "../../components/core/reader/truth";
import { patchOf, type Resource, type Stack } from "../engine/resource";
import { chartReference, chartV3, installers, installsChart } from "./charts";

export const gpuOperator = "eks-gpu-lab:index:GpuOperator";
export const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";
/** What changes the ClusterPolicy of an operator that somebody else installs. */
export const clusterPolicyPatch = patchOf(clusterPolicy);

/** Whatever tells the GPU Operator what to run. */
export const operatorTypes: readonly string[] = [gpuOperator, ...installers, clusterPolicy, clusterPolicyPatch];

/**
 * What a resource tells the GPU Operator: the values of its chart, or the spec of a ClusterPolicy, which has the same
 * keys. The component takes free values of the chart beside arguments of its own.
 */
export class OperatorValues {
  private constructor(
    readonly resource: Resource,
    /** Whether the resource is about the GPU Operator at all. */
    readonly isOperator: Truth,
    private readonly values: Reader,
    /** Whether values may come from files, which no rule sees. */
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

  /** Every resource of a stack that tells the GPU Operator something. */
  static in(stack: Stack): OperatorValues[] {
    return stack.ofType(...operatorTypes).map((resource) => OperatorValues.of(resource));
  }

  /** A reader of one value. */
  at(path: Path): Reader {
    return this.values.at(path);
  }

  /** A switch of the chart as it was given. */
  flag(path: Path): Reading<boolean> {
    return this.values.boolean(path);
  }

  /** Whether a switch is on; `standard` is what the chart, or the operator for a ClusterPolicy, takes by itself. */
  isOn(path: Path, standard: boolean): Truth {
    const given = this.flag(path);
    return any(
      given.is((value) => value),
      all(given.isAbsent, this.leftOut(given, standard)),
    );
  }

  isOff(path: Path, standard: boolean): Truth {
    const given = this.flag(path);
    return any(
      given.is((value) => !value),
      all(given.isAbsent, this.leftOut(given, !standard)),
    );
  }

  /** Whether a value is left to the chart. */
  leavesOut(path: Path): Truth {
    const given = this.values.at(path).list();
    return all(given.isAbsent, this.leftOut(given, true));
  }

  /** What is not among the values may still stand in a file. */
  private leftOut(given: { readonly path: string }, standard: boolean): Truth {
    return this.hasFiles === false ? standard : new Undetermined([given.path]);
  }
}

/** Whether a chart is the GPU Operator's. Without inputs, as the engine shows a v4 Chart, nobody can tell. */
export function installsOperator(resource: Resource): Truth {
  return resource.isEmpty ? new Undetermined(["chart"]) : installsChart(resource, "gpu-operator");
}

function isClusterPolicy({ type }: Resource): boolean {
  return type === clusterPolicy || type === clusterPolicyPatch;
}

/** The version of the chart, wherever the resource keeps it. A version in the reference itself wins. */
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
