import type { Path, Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, not, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { text, texts, type ValuesOf } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { adviseIf, failIf, resourceRule, type Check, type Violation } from "../../engine/rule";
import { chartReference, chartV3, chartV4, release } from "../../facts/charts";
import { clusterPolicy, gpuOperator, installsOperator, operatorVersion } from "../../facts/gpu-operator";

/** Where an installer welcomes development versions, and whether the engine hides what the program wrote. */
interface Installer {
  readonly devel: Path;
  readonly hidden: boolean;
}

const installers: Readonly<Record<string, Installer>> = {
  [release]: { devel: "devel", hidden: true },
  [chartV4]: { devel: "devel", hidden: true },
  [chartV3]: { devel: "fetchOpts.devel", hidden: false },
};

/** By default the versions that the library advises: v26.3.1, and v26.3.3 for Kubernetes 1.36 and for EFA. */
const parameters = {
  allowed: texts(
    ["v26.3.1", "v26.3.3"],
    "Versions of the chart that may be installed; an empty list allows every exact version.",
    { pattern: "^v?\\d+\\.\\d+\\.\\d+([-+][0-9A-Za-z.+-]+)?$", of: "exact versions such as v26.3.1" },
  ),
  configKey: text(
    "eks-gpu-lab:gpuOperator",
    "Key of the stack configuration whose chartVersion is meant for the chart where no GpuOperator component installs it.",
  ),
};

/**
 * The version of a Release cannot be trusted: once its inputs are known, the Kubernetes provider's Check writes the
 * version that Helm resolved over the one of the program, and policies come after it. A range, or no version at all,
 * arrives as an exact version from the second preview on. Hence three layers:
 * 1. The program's own words, which nothing overwrites: the arguments of `GpuOperator`, and for an installation
 *    without that component the stack's configuration.
 * 2. The version as it arrives must be one of those allowed: that finds a floating one as soon as upstream moves.
 *    A `helm.sh/v4.Chart` arrives without inputs, so the chart's label on its ClusterPolicy stands for them.
 * 3. A Release without `GpuOperator` gets a warning, for nobody can see whether its version floats; not where the
 *    chart's reference holds the version, which nothing overwrites.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/helm_release.go
 */
export const gpuOperatorChartPinned = resourceRule({
  id: "gpu-operator-chart-pinned",
  title: "The NVIDIA GPU Operator chart is installed in one exact, allowed version.",
  severity: "high",
  incident: "a chart without a version followed its repository, and the same program made another lab the next time",
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
  const tellsVersion = chart.is((reference) => chartReference(reference).version !== undefined);
  const unpinned =
    version.isAbsent === true && isFixed === true ? new Undetermined([version.path]) : isUnpinned(version, allowed);
  yield failIf(all(isOperator, unpinned), () => pinFault(version, allowed, installer.hidden));

  const devel = resource.boolean(installer.devel);
  yield failIf(all(isOperator, isTrue(devel)), () => develFault(devel.path, allowed));

  const isHidden = installer.hidden && !resource.isInside(gpuOperator);
  const unwitnessed = all(isOperator, isHidden, not(tellsVersion), not(unpinned));
  const configured = config.at([configKey]).version("chartVersion");
  const configuredUnpinned = all(not(configured.isAbsent), isUnpinned(configured, allowed));
  yield failIf(all(unwitnessed, configuredUnpinned), () =>
    configurationFault(`${configKey}.chartVersion`, configured, allowed),
  );
  yield adviseIf(all(unwitnessed, not(configuredUnpinned)), () => ({
    path: version.path,
    got: version.shown,
    why: "Once the chart is installed Pulumi shows the version that Helm resolved, so nobody can see whether the program pins it.",
    fix: "install the chart with the GpuOperator component, whose chartVersion stays visible",
  }));
}

function isTrue(reading: Reading<boolean>): Truth {
  return reading.is((value) => value);
}

/**
 * Three numbers, and a pre-release and a build where there is one. Whatever else Helm takes it resolves anew each time.
 */
const exact = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Whether a chart's version is missing, or not exact, or not allowed. An empty list allows every exact version. */
function isUnpinned(version: Reading<string>, allowed: readonly string[]): Truth {
  return any(
    version.isAbsent,
    version.isMalformed,
    version.is((value) => !exact.test(value) || !isAllowed(value, allowed)),
  );
}

/** What is wrong with a version that {@link isUnpinned}; `resolved` if Helm may have chosen it, not the program. */
function pinFault(version: Reading<string>, allowed: readonly string[], resolved = false): Violation {
  const orElse = isExact(version) ? `, or add this version to "allowed" in the policy configuration` : "";
  const fix = `set ${version.path} to ${pin(allowed)}${orElse}`;
  return { path: version.path, got: version.shown, why: whyUnpinned(version, resolved), fix };
}

/** What is wrong where development versions are welcome. */
function develFault(path: string, allowed: readonly string[]): Violation {
  const why = "Helm may then install a development version, and another one each time.";
  return { path, got: "true", why, fix: `remove ${path}, and set the version to ${pin(allowed)}` };
}

/** What is wrong with a version in the stack's configuration. */
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
    return "Helm then installs whatever its repository offers that day.";
  }
  if (!isExact(version)) return "It is not one exact version, so Helm chooses one anew at each install.";
  const origin = resolved ? " It may be what Helm made of a range, or of no version at all." : "";
  return `It is not among the allowed versions.${origin}`;
}

function pin(allowed: readonly string[]): string {
  return allowed.length === 0 ? "one exact version such as v26.3.1" : allowed.join(" or ");
}
