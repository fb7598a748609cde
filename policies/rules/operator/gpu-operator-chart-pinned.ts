import type { Path } from "../../../components/core/reader/paths";
import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, not, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { recommendedCharts } from "../../../components/gpu/operator/compatibility";
import { text, texts, type ValuesOf } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { adviseIf, failIf, resourceRule, type Check, type Violation } from "../../engine/rule";
import { chartReference } from "../../facts/chart-reference";
import { chartNamed, chartSources, installers } from "../../facts/charts";
import { clusterPolicy, gpuOperator, installsOperator, OperatorValues } from "../../facts/gpu-operator";
import { chartV3, chartV4, release } from "../../facts/helm";

/** Where an installer of Pulumi allows development versions. */
const develPaths: Readonly<Record<string, Path>> = {
  [release]: "devel",
  [chartV4]: "devel",
  [chartV3]: "fetchOpts.devel",
};

/** Why the engine does not show the version of the program. */
const whyHidden: Readonly<Record<string, string>> = {
  [release]: "After the installation Pulumi shows the version that Helm resolved",
  [chartV4]: "In a preview, policies get only the version that Helm resolved",
};

const parameters = {
  allowed: texts(recommendedCharts, "Allowed versions of the chart. An empty list allows every exact version.", {
    pattern: "^v?\\d+\\.\\d+\\.\\d+([-+][0-9A-Za-z.+-]+)?$",
    of: "exact versions such as v26.3.1",
  }),
  configKey: text(
    "eks-gpu-lab:gpuOperator",
    "Key of the stack configuration with the chartVersion of a chart that is not installed by the GpuOperator component.",
  ),
};

/**
 * The version of a Release is not reliable. Before a policy gets it, the Kubernetes provider replaces the version of
 * the program by the version that Helm resolved. So a range, or a missing version, looks like an exact version from the
 * second preview on. The rule therefore makes three checks:
 * 1. The values that nothing overwrites: the arguments of `GpuOperator`, and without that component the stack's
 *    configuration.
 * 2. The version of the Release must be an allowed one. This detects a floating version when a newer chart is released.
 *    A `helm.sh/v4.Chart` has no inputs, so the rule reads the chart label of its ClusterPolicy.
 * 3. A Release or a v4 Chart without `GpuOperator` gets a warning, because the rule cannot tell whether its version
 *    floats. A version in the chart reference is reliable. So are a local file, a local folder and a digest, whose
 *    content is fixed.
 * The custom resources of Argo CD and Flux keep the version of the program. Of a chart in a Git folder the rule knows
 * neither the name nor the version.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/helm_release.go
 */
export const gpuOperatorChartPinned = resourceRule({
  id: "gpu-operator-chart-pinned",
  title: "The NVIDIA GPU Operator chart has an exact, allowed version.",
  severity: "high",
  incident:
    "a chart without a version followed its repository, and the same program created a different lab the next time",
  types: [gpuOperator, ...installers, ...chartSources, clusterPolicy],
  parameters,
  judge(resource, given, { config }) {
    if (resource.type === gpuOperator) return ofComponent(resource, given.allowed);
    if (resource.type === clusterPolicy) return ofClusterPolicy(resource, given, config);
    return ofInstaller(resource, given, config);
  },
});

function* ofComponent(operator: Resource, allowed: readonly string[]): Iterable<Check> {
  const { version } = OperatorValues.of(operator);
  const unpinned = operator.isEmpty ? new Undetermined([version.path]) : isUnpinned(version, allowed);
  yield failIf(unpinned, () => pinFault(version, allowed));
  yield failIf(isTrue(operator.boolean("devel")), () => develFault("devel", allowed));
}

/** The values of the policy configuration. */
type Given = ValuesOf<typeof parameters>;

/** The ClusterPolicy of a v4 Chart has the only version of the chart that the engine shows. */
function* ofClusterPolicy(policy: Resource, given: Given, config: Reader): Iterable<Check> {
  const { version } = OperatorValues.of(policy);
  const hasVersion = all(not(version.isAbsent), not(version.isMalformed));
  const unpinned = all(hasVersion, isUnpinned(version, given.allowed));
  yield failIf(unpinned, () => pinFault(version, given.allowed));
  const isHidden = policy.isInside(chartV4) && !policy.isInside(gpuOperator);
  yield* ofHidden(version, all(isHidden, hasVersion, not(unpinned)), chartV4, given, config);
}

function* ofInstaller(resource: Resource, given: Given, config: Reader): Iterable<Check> {
  const { allowed } = given;
  const isOperator = installsOperator(resource);
  const { version, reference } = chartNamed(resource, "gpu-operator");
  const isFixed = reference.is((text) => chartReference(text).fixed);
  const hasVersion = reference.is((text) => chartReference(text).version !== undefined);
  const unpinned =
    version.isAbsent === true && isFixed === true ? new Undetermined([version.path]) : isUnpinned(version, allowed);
  const isResolved = Object.hasOwn(whyHidden, resource.type);
  yield failIf(all(isOperator, unpinned), () => pinFault(version, allowed, isResolved));

  const develPath = develPaths[resource.type];
  if (develPath !== undefined) {
    const devel = resource.boolean(develPath);
    yield failIf(all(isOperator, isTrue(devel)), () => develFault(devel.path, allowed));
  }
  const isHidden = isResolved && !resource.isInside(gpuOperator);
  const unverifiable = all(isOperator, isHidden, not(any(hasVersion, isFixed)), not(unpinned));
  yield* ofHidden(version, unverifiable, resource.type, given, config);
}

/** An allowed version that Helm may have resolved: the stack's configuration shows whether the program pins it. */
function* ofHidden(
  version: Reading<string>,
  unverifiable: Truth,
  type: string,
  { allowed, configKey }: Given,
  config: Reader,
): Iterable<Check> {
  const configured = config.at([configKey]).version("chartVersion");
  const configuredUnpinned = all(not(configured.isAbsent), isUnpinned(configured, allowed));
  yield failIf(all(unverifiable, configuredUnpinned), () =>
    configurationFault(`${configKey}.chartVersion`, configured, allowed),
  );
  yield adviseIf(all(unverifiable, not(configuredUnpinned)), () => ({
    path: version.path,
    got: version.shown,
    why: `${whyHidden[type]}, so the rule cannot tell whether the program pins it.`,
    fix: "install the chart with the GpuOperator component, which keeps its chartVersion",
  }));
}

function isTrue(reading: Reading<boolean>): Truth {
  return reading.is((value) => value);
}

/**
 * Three numbers with an optional pre-release and build. Helm resolves anything else again at each installation.
 */
const exact = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Whether the version of a chart is missing, not exact or not allowed. An empty list allows every exact version. */
function isUnpinned(version: Reading<string>, allowed: readonly string[]): Truth {
  return any(
    version.isAbsent,
    version.isMalformed,
    version.is((value) => !exact.test(value) || !isAllowed(value, allowed)),
  );
}

/** The violation of a version that {@link isUnpinned}. `resolved`: Helm may have chosen it, not the program. */
function pinFault(version: Reading<string>, allowed: readonly string[], resolved = false): Violation {
  const orElse = isExact(version) ? `, or add this version to "allowed" in the policy configuration` : "";
  const fix = `set ${version.path} to ${pin(allowed)}${orElse}`;
  return { path: version.path, got: version.shown, why: whyUnpinned(version, resolved), fix };
}

/** The violation of an installer that allows development versions. */
function develFault(path: string, allowed: readonly string[]): Violation {
  const why = "Helm can then install a development version, and a different one each time.";
  return { path, got: "true", why, fix: `remove ${path}, and set the version to ${pin(allowed)}` };
}

/** The violation of a version in the stack's configuration. */
function configurationFault(key: string, version: Reading<string>, allowed: readonly string[]): Violation {
  return {
    ...pinFault(version, allowed),
    path: key,
    fix: `pulumi config set --path '${key}' ${allowed[0] ?? "<version>"}`,
  };
}

function isExact(version: Reading<string>): boolean {
  return version.is((value) => exact.test(value)) === true;
}

function isAllowed(version: string, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.some((one) => withoutV(one) === withoutV(version));
}

function withoutV(version: string): string {
  return version.replace(/^v/, "");
}

function whyUnpinned(version: Reading<string>, resolved: boolean): string {
  if (version.isAbsent === true || version.value?.trim() === "") {
    return "Helm then installs the newest version of the repository.";
  }
  if (!isExact(version)) return "Use an exact version; Helm resolves a range again at each installation.";
  const origin = resolved ? " Helm may have resolved it from a range, or without a version." : "";
  return `The version is not allowed.${origin}`;
}

function pin(allowed: readonly string[]): string {
  return allowed.length === 0 ? "an exact version such as v26.3.1" : allowed.join(" or ");
}
