import { text, texts, type ValuesOf } from "../../engine/parameters";
import type { Path, Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource } from "../../engine/resource";
import { adviseIf, failIf, resourceRule, type Check } from "../../engine/rule";
import { all, not, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { chartReference, chartV3, chartV4, release } from "./chart-reference";
import { configurationFault, develFault, isUnpinned, pinFault } from "./chart-version";
import { clusterPolicy, gpuOperator, installsOperator, operatorVersion } from "./operator-values";

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
