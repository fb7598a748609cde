import { Release, type ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import * as semver from "semver";
import { join, wholeNumber, trueOrFalse } from "../../core/checks";
import { refuse, type Problem } from "../../core/problems";
import { transformed, type Transform } from "../../core/transform";

/** Whether and how a controller's Helm chart is installed beside its identity. */
export interface InstallArgs {
  /**
   * Whether the chart is installed. It goes into the cluster of the Kubernetes provider in the component's options.
   *
   * @default false - the identity alone, for a controller that comes another way
   */
  readonly install?: boolean;
  /**
   * One exact version of the chart.
   *
   * @default the version this library pins - see components/core/versions.ts
   */
  readonly chartVersion?: string;
  /**
   * Chart repository, https.
   *
   * @default the project's own - a mirror saves a lab from its outages
   */
  readonly repository?: string;
  /**
   * How long Helm waits for the controller's pods, in seconds: 60 to 3600.
   *
   * @default 600 - a fresh node pulls the image first
   */
  readonly timeoutSeconds?: number;
  /**
   * The cluster: on destroy the release goes with it, without asking an API server that may be gone.
   *
   * @default none - uninstalled by Helm
   */
  readonly cluster?: pulumi.Resource;
}

/** A chart as components/core/versions.ts pins it. */
export interface Chart {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
}

export function installDefaults({ version, repository }: Chart) {
  return { install: false, chartVersion: version, repository, timeoutSeconds: 600 } as const;
}

/** Every problem of how a chart is to be installed. */
export function installProblems(args: InstallArgs, chart: Chart, at = ""): Problem[] {
  const { install = false, chartVersion = chart.version, repository = chart.repository, timeoutSeconds = 600 } = args;
  return [
    ...trueOrFalse(join(at, "install"), install),
    ...chartVersionProblems(join(at, "chartVersion"), chartVersion, chart),
    ...repositoryProblems(join(at, "repository"), repository, chart),
    ...wholeNumber(join(at, "timeoutSeconds"), timeoutSeconds, { min: 60, max: 3600, unit: "seconds" }),
  ];
}

function chartVersionProblems(path: string, got: unknown, chart: Chart): Problem[] {
  const fix = `set ${path} to one exact version, such as "${chart.version}"`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  if (semver.valid(got) !== null) return [];
  const why = "It is no exact version: Helm would take another chart on another day.";
  return [{ code: "version", path, got, why, fix }];
}

function repositoryProblems(path: string, got: unknown, chart: Chart): Problem[] {
  const fix = `set ${path} to an address such as "${chart.repository}"`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  const url = URL.canParse(got) ? new URL(got) : undefined;
  if (url?.protocol !== "https:") {
    const why = "A chart makes privileged objects, so it must come over https.";
    return [{ code: "not-allowed", path, got, why, fix }];
  }
  if (url.username === "" && url.password === "") return [];
  const why = "A login in the address would stand in every plan and in the state.";
  const shown = got.replace(/\/\/.*@/, "//***@");
  return [
    {
      code: "not-allowed",
      path,
      got: shown,
      why,
      fix: `take the login out of ${path}, and pass it with transform.release`,
    },
  ];
}

/**
 * Stops a controller whose chart would go into whichever cluster the local kubeconfig names.
 *
 * @throws InputError when no Kubernetes provider reaches the component
 */
export function refuseWithoutProvider(subject: string, component: pulumi.ComponentResource): void {
  if (component.getProvider("kubernetes:helm.sh/v3:Release")) return;
  const why =
    "No Kubernetes provider reaches the component: the chart would go into whichever cluster the local kubeconfig names.";
  const fix = "pass the cluster's own in the component's options: { provider: cluster.provider }";
  refuse(subject, [{ code: "missing", path: "install", got: true, why, fix }]);
}

/** What a controller's release is made of, beside its values. */
export interface ControllerRelease {
  readonly name: string;
  readonly chart: Chart;
  readonly namespace: string;
  readonly values: ReleaseArgs["values"];
  readonly settings: Required<Omit<InstallArgs, "cluster">>;
  readonly cluster: pulumi.Resource | undefined;
  /** What must be there before the pods start. */
  readonly after: pulumi.Resource[];
  readonly transform: Transform<ReleaseArgs> | undefined;
  readonly options: pulumi.CustomResourceOptions;
}

/** Installs the chart once the identity of its pods is there: they would start without credentials, and never get them. */
export function makeRelease({
  name,
  chart,
  namespace,
  values,
  settings,
  cluster,
  after,
  transform,
  options,
}: ControllerRelease): Release {
  const args: ReleaseArgs = {
    name: chart.name,
    chart: chart.name,
    version: settings.chartVersion,
    repositoryOpts: { repo: settings.repository },
    namespace,
    values,
    timeout: settings.timeoutSeconds,
    skipAwait: false,
    // A failed install stays in the cluster to be looked at; rolled back it would fail the same way next time.
    atomic: false,
  };
  const releaseOptions = {
    ...pulumi.mergeOptions(options, { dependsOn: after }),
    ...(cluster && { deletedWith: cluster }),
  };
  return new Release(...transformed(transform, `${name}-release`, args, releaseOptions));
}
