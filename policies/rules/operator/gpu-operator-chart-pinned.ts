import { all, any, equals, not, Undetermined, type Reader, type Reading, type Truth } from "../../engine/values";
import { gpuOperatorChart } from "../../../components/core/versions";
import { chartRanges, chartTag, isOlder, recommendedCharts } from "../../../components/gpu/operator/compatibility";
import { text, texts, type ValuesOf } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { adviseAt, failAt, resourceRule, type Check } from "../../engine/rule";
import { chartReference, isExact } from "../../facts/installed-chart";
import { subscriptions } from "../../facts/cluster-creators";
import { bearsOperatorName, chartSources, chartV3, chartV4, installers, release } from "../../facts/charts";
import { clusterPolicy, gpuOperator, operatorChart, OperatorValues } from "../../facts/gpu-operator";

const parameters = {
  allowed: texts(
    [],
    "Allowed versions of the chart. An empty list allows every exact version, with advice on versions that this library was not tested with.",
    { pattern: "^v?\\d+\\.\\d+\\.\\d+([-+][0-9A-Za-z.+-]+)?$", of: "exact versions such as v26.3.1" },
  ),
  configKey: text(
    "eks-gpu-lab:gpuOperator",
    "Stack configuration key that contains the chartVersion of a chart that the GpuOperator component does not install.",
  ),
};

/**
 * The version must be exact. If the policy configuration lists versions, it must be one of them.
 *
 * The offline plan shows the version in the program. In a preview, the Kubernetes provider replaces the version of a
 * Release with the version that Helm resolved, so a range looks like an exact version. The preview therefore differs:
 *
 * - An exact version that is as new as the newest known chart fails, because an open range resolves to it.
 * - A Release or v4 Chart without `GpuOperator` gets a warning. A version in the chart reference, a local chart and a
 *   digest are reliable.
 * - For a `helm.sh/v4.Chart`, the rule reads the chart label of the ClusterPolicy.
 *
 * The custom resources of Argo CD and Flux keep the version from the program. The rule cannot read a chart in a Git
 * folder. A Subscription of the Operator Lifecycle Manager needs a startingCSV, and manual approval.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/helm_release.go
 */
export const gpuOperatorChartPinned = resourceRule({
  id: "gpu-operator-chart-pinned",
  title: "The NVIDIA GPU Operator chart has an exact version.",
  severity: "high",
  incident:
    "a chart without a version followed its repository, and the same program created a different lab the next time",
  types: [gpuOperator, ...installers, ...chartSources, clusterPolicy],
  parameters,
  judge(resource, given, { config }) {
    if (resource.type === gpuOperator) return ofComponent(resource, given.allowed);
    if (resource.type === clusterPolicy) return ofClusterPolicy(resource, given, config);
    if (subscriptions.includes(resource.type)) return ofSubscription(resource, given.allowed);
    return ofInstaller(resource, given, config);
  },
});

function* ofComponent(operator: Resource, allowed: readonly string[]): Iterable<Check> {
  const { version } = OperatorValues.of(operator);
  const unpinned = operator.isEmpty ? new Undetermined([version.path]) : isUnpinned(version, allowed);
  yield ofVersion(version, unpinned, allowed);
  yield ofUntested(version, not(unpinned), allowed);
  yield ofDevel(operator.boolean("devel"), true, allowed);
}

/** The values of the policy configuration. */
type Given = ValuesOf<typeof parameters>;

/** The ClusterPolicy of a v4 Chart has the only version of the chart that the engine shows. */
function* ofClusterPolicy(policy: Resource, given: Given, config: Reader): Iterable<Check> {
  const { version } = OperatorValues.of(policy);
  const hasVersion = all(not(version.isAbsent), not(version.isMalformed));
  const isResolved = policy.isInside(chartV4);
  const floats = any(isUnpinned(version, given.allowed), all(isResolved, mayFloat(version, given.allowed)));
  const unpinned = all(hasVersion, floats);
  yield ofVersion(version, unpinned, given.allowed, isResolved);
  const isHidden = isResolved && !policy.isInside(gpuOperator);
  yield* ofHidden(version, all(isHidden, hasVersion, not(unpinned)), given, config);
}

function* ofInstaller(resource: Resource, given: Given, config: Reader): Iterable<Check> {
  const { allowed } = given;
  const { version, reference, isNamed: isOperator } = operatorChart(resource);
  const isFixed = reference.is((text) => chartReference(text).fixed);
  const hasVersion = reference.is((text) => chartReference(text).version !== undefined);
  const isResolved = all(resource.type === release, resource.isChecked, not(any(hasVersion, isFixed)));
  const isUnstated = version.isAbsent === true && isFixed === true;
  const floats = any(isUnpinned(version, allowed), all(isResolved, mayFloat(version, allowed)));
  const unpinned = isUnstated ? allowed.length > 0 && new Undetermined([version.path]) : floats;
  const isMeant = any(isOperator, bearsOperatorName(resource));
  const isPart = reference.path === version.path;
  yield ofVersion(version, all(isMeant, unpinned), allowed, isResolved === true, isPart ? "the version in " : "");
  const isPinned = all(isOperator, not(unpinned));
  yield ofUntested(version, all(isPinned, not(isResolved)), allowed);

  const develPath = resource.type === chartV3 ? "fetchOpts.devel" : "devel";
  yield ofDevel(resource.boolean(develPath), isOperator, allowed);
  const unverifiable = all(isPinned, isResolved, !resource.isInside(gpuOperator));
  yield* ofHidden(version, unverifiable, given, config);
}

/** The Operator Lifecycle Manager installs every new version of the channel, unless a person approves each. */
function* ofSubscription(subscription: Resource, allowed: readonly string[]): Iterable<Check> {
  const { version, isNamed: isOperator } = operatorChart(subscription);
  const approval = subscription.at("spec").choice("installPlanApproval", ["Automatic", "Manual"]);
  const unpinned = isUnpinned(version, allowed);
  yield failAt(approval, all(isOperator, not(equals(approval, "Manual"))), {
    why: "The Operator Lifecycle Manager then installs each new version of the channel at once.",
    fix: `set ${approval.path} to Manual`,
  });
  yield failAt(version, all(isOperator, unpinned), {
    why: "The Operator Lifecycle Manager then starts with the newest version of the channel, or with a version that is not allowed.",
    fix: `set ${version.path} to gpu-operator-certified.${allowed[0] ?? gpuOperatorChart.version}`,
  });
  yield ofUntested(version, all(isOperator, not(unpinned)), allowed, "gpu-operator-certified.");
}

/** Advice on an exact version, unless the policy configuration lists the allowed ones. */
function ofUntested(version: Reading<string>, isPinned: Truth, allowed: readonly string[], prefix = ""): Check {
  const isUntested = version.is((text) => allowed.length === 0 && !isAllowed(text, recommendedCharts));
  return adviseAt(version, all(isPinned, isUntested), {
    why: "This library was not tested with this version. Its values and its failures may differ.",
    fix: `set ${version.path} to ${recommendedCharts.map((tag) => prefix + tag).join(" or ")}, or list your versions in "allowed" in the policy configuration`,
  });
}

/** An allowed version that Helm may have resolved: the stack's configuration shows whether the program pins it. */
function* ofHidden(
  version: Reading<string>,
  unverifiable: Truth,
  { allowed, configKey }: Given,
  config: Reader,
): Iterable<Check> {
  const configured = config.at([configKey]).version("chartVersion");
  const configuredUnpinned = all(not(configured.isAbsent), isUnpinned(configured, allowed));
  const key = `${configKey}.chartVersion`;
  yield failAt({ path: key }, all(unverifiable, configuredUnpinned), {
    got: configured.shown,
    why: whyUnpinned(configured, false),
    fix: `pulumi config set --path '${key}' ${allowed[0] ?? gpuOperatorChart.version}`,
  });
  yield adviseAt(version, all(unverifiable, not(configuredUnpinned)), {
    why: "In a preview, policies get the version that Helm resolved, so the rule cannot tell whether the program pins it.",
    fix: "install the chart with the GpuOperator component, which keeps its chartVersion",
  });
}

/** Whether the version of a chart is missing, not exact or not allowed. An empty list allows every exact version. */
function isUnpinned(version: Reading<string>, allowed: readonly string[]): Truth {
  return not(version.is((value) => isExact(value) && (allowed.length === 0 || isAllowed(value, allowed))));
}

/** Whether Helm may have resolved a version from an open range: no chart that this library knows is newer. */
function mayFloat(version: Reading<string>, allowed: readonly string[]): Truth {
  const isNewest = (text: string) => isExact(text) && chartRanges.every(({ newest }) => !isOlder(text, newest));
  return version.is((text) => allowed.length === 0 && !isAllowed(text, recommendedCharts) && isNewest(text));
}

/** A version that {@link isUnpinned}. `resolved`: Helm may have chosen it, not the program. */
function ofVersion(
  version: Reading<string>,
  unpinned: Truth,
  allowed: readonly string[],
  resolved = false,
  part = "",
): Check {
  const orElse = version.is(isExact) === true ? `, or add this version to "allowed" in the policy configuration` : "";
  const fix = `set ${part}${version.path} to ${pin(allowed)}${orElse}`;
  return failAt(version, unpinned, { why: whyUnpinned(version, resolved), fix });
}

/** An installer that allows development versions. */
function ofDevel(devel: Reading<boolean>, isOperator: Truth, allowed: readonly string[]): Check {
  return failAt(devel, all(isOperator, equals(devel, true)), {
    why: "Helm can then install a development version, and a different one each time.",
    fix: `remove ${devel.path}, and set the version to ${pin(allowed)}`,
  });
}

function isAllowed(version: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => chartTag(one) === chartTag(version));
}

function whyUnpinned(version: Reading<string>, resolved: boolean): string {
  if (version.isAbsent === true || version.value?.trim() === "") {
    return "Helm then installs the newest version of the repository.";
  }
  if (version.is(isExact) !== true) return "Use an exact version; Helm resolves a range again at each installation.";
  if (resolved)
    return "Helm may have resolved it from a range, or without a version: in a preview, policies cannot tell.";
  return `The version is not in "allowed" in the policy configuration.`;
}

function pin(allowed: readonly string[]): string {
  return allowed.length === 0 ? `an exact version such as ${gpuOperatorChart.version}` : allowed.join(" or ");
}
