import type { Path } from "../../../components/core/reader/paths";
import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, not, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { recommendedCharts } from "../../../components/gpu/operator/compatibility";
import { text, texts, type ValuesOf } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { adviseIf, failIf, resourceRule, type Check, type Violation } from "../../engine/rule";
import { chartReference, chartV3, chartV4, release } from "../../facts/charts";
import { clusterPolicy, gpuOperator, installsOperator, operatorVersion } from "../../facts/gpu-operator";

/** Where an installer allows development versions, and whether the engine hides the version of the program. */
interface Installer {
  readonly devel: Path;
  readonly hidden: boolean;
}

const installers: Readonly<Record<string, Installer>> = {
  [release]: { devel: "devel", hidden: true },
  [chartV4]: { devel: "devel", hidden: true },
  [chartV3]: { devel: "fetchOpts.devel", hidden: false },
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
 * 3. A Release without `GpuOperator` gets a warning, because the rule cannot tell whether its version floats. A version
 *    in the chart reference is reliable. So are a local file, a local folder and a digest, whose content is fixed.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/helm_release.go
 */
export const gpuOperatorChartPinned = resourceRule({
  id: "gpu-operator-chart-pinned",
  title: "The NVIDIA GPU Operator chart has an exact, allowed version.",
  severity: "high",
  incident:
    "a chart without a version followed its repository, and the same program created a different lab the next time",
  types: [gpuOperator, ...Object.keys(installers), clusterPolicy],
  parameters,
  judge(resource, given, { config }) {
    const installer = installers[resource.type];
    if (installer) return ofInstaller(resource, installer, given, config);
    return resource.type === gpuOperator
      ? ofComponent(resource, given.allowed)
      : ofClusterPolicy(resource, given.allowed);
  },
});

function* ofComponent(operator: Resource, allowed: readonly string[]): Iterable<Check> {
  const version = operatorVersion(operator);
  const unpinned = operator.isEmpty ? new Undetermined([version.path]) : isUnpinned(version, allowed);
  yield failIf(unpinned, () => pinFault(version, allowed));
  yield failIf(isTrue(operator.boolean("devel")), () => develFault("devel", allowed));
}

function* ofClusterPolicy(policy: Resource, allowed: readonly string[]): Iterable<Check> {
  const version = operatorVersion(policy);
  yield failIf(all(not(version.isAbsent), not(version.isMalformed), isUnpinned(version, allowed)), () =>
    pinFault(version, allowed),
  );
}

function* ofInstaller(
  resource: Resource,
  installer: Installer,
  { allowed, configKey }: ValuesOf<typeof parameters>,
  config: Reader,
): Iterable<Check> {
  const isOperator = installsOperator(resource);
  const version = operatorVersion(resource);
  const chart = resource.text("chart");
  const isFixed = chart.is((reference) => chartReference(reference).fixed);
  const hasVersion = chart.is((reference) => chartReference(reference).version !== undefined);
  const unpinned =
    version.isAbsent === true && isFixed === true ? new Undetermined([version.path]) : isUnpinned(version, allowed);
  yield failIf(all(isOperator, unpinned), () => pinFault(version, allowed, installer.hidden));

  const devel = resource.boolean(installer.devel);
  yield failIf(all(isOperator, isTrue(devel)), () => develFault(devel.path, allowed));

  const isHidden = installer.hidden && !resource.isInside(gpuOperator);
  const unverifiable = all(isOperator, isHidden, not(any(hasVersion, isFixed)), not(unpinned));
  const configured = config.at([configKey]).version("chartVersion");
  const configuredUnpinned = all(not(configured.isAbsent), isUnpinned(configured, allowed));
  yield failIf(all(unverifiable, configuredUnpinned), () =>
    configurationFault(`${configKey}.chartVersion`, configured, allowed),
  );
  yield adviseIf(all(unverifiable, not(configuredUnpinned)), () => ({
    path: version.path,
    got: version.shown,
    why: "After the installation Pulumi shows the version that Helm resolved, so the rule cannot tell whether the program pins it.",
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
