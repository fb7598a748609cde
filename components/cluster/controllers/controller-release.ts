import { Release, type ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import * as semver from "semver";
import { join, keysOf, wholeNumber, trueOrFalse } from "../../core/checks";
import { oneReleaseAtATime } from "../../core/options";
import type { Problem } from "../../core/problems";
import { tagsProblems, type Tags } from "../../core/tokens";
import { transformed, transformProblems, type Transform } from "../../core/transform";
import {
  WorkloadIdentity,
  type WorkloadIdentityArgs,
  type WorkloadIdentityTransform,
} from "../identity/workload-identity";

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

/** Adjusts each underlying resource before it is made. */
export interface ControllerTransform extends WorkloadIdentityTransform {
  readonly release?: Transform<ReleaseArgs>;
}

/** What the components of all charts take. */
export interface ControllerArgs extends InstallArgs {
  readonly clusterName: pulumi.Input<string>;
  /**
   * Tags of the role and the association.
   *
   * @default {} - only the Name
   */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the underlying resources.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: ControllerTransform;
}

/** A chart as components/core/versions.ts pins it. */
export interface Chart {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
}

export function controllerDefaults({ version, repository }: Chart) {
  return { install: false, chartVersion: version, repository, timeoutSeconds: 600, tags: {} } as const;
}

/** The keys of {@link ControllerArgs}, to which each component adds its own. */
export const controllerKeys = {
  install: true,
  chartVersion: true,
  repository: true,
  timeoutSeconds: true,
  cluster: true,
  clusterName: true,
  tags: true,
  transform: true,
} as const satisfies Record<keyof ControllerArgs, true>;

export const controllerTransformKeys = keysOf<ControllerTransform>({
  role: true,
  policy: true,
  association: true,
  release: true,
});

/** Every problem of what the components of all charts take. */
export function controllerArgsProblems(args: ControllerArgs, chart: Chart, at = ""): Problem[] {
  return [
    ...installProblems(args, chart, at),
    ...tagsProblems(join(at, "tags"), args.tags),
    ...transformProblems(join(at, "transform"), args.transform, controllerTransformKeys),
  ];
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

/** What a controller is made of. */
export interface ControllerSpec {
  readonly name: string;
  readonly chart: Chart;
  /** Where the controller runs, and as whom. */
  readonly place: { readonly namespace: string; readonly serviceAccount: string };
  readonly settings: Required<Omit<ControllerArgs, "cluster" | "transform">>;
  /** What its pods may do. */
  readonly policy: WorkloadIdentityArgs["policy"];
  readonly values: ReleaseArgs["values"];
  readonly cluster: pulumi.Resource | undefined;
  readonly transform: NonNullable<ControllerArgs["transform"]>;
  readonly options: pulumi.CustomResourceOptions;
}

export interface Controller {
  readonly roleArn: pulumi.Output<string>;
  /** What must be there before a controller that comes another way starts. */
  readonly ready: pulumi.Resource[];
  /** Undefined where only the identity was asked for. */
  readonly release: Release | undefined;
}

/** Makes the identity of a controller's pods, and its release where one is asked for. */
export function makeController(spec: ControllerSpec): Controller {
  const { name, place, settings, policy, options } = spec;
  const { clusterName, tags } = settings;
  const { release, ...transform } = spec.transform;
  const { roleArn, ready } = new WorkloadIdentity(name, { ...place, clusterName, policy, tags, transform }, options);
  return { roleArn, ready, release: settings.install ? makeRelease(spec, ready) : undefined };
}

/**
 * Installs the chart once the identity of its pods is there: they would start without credentials, and never get them.
 */
function makeRelease(
  { name, chart, place, settings, values, cluster, transform, options }: ControllerSpec,
  ready: pulumi.Resource[],
): Release {
  const args: ReleaseArgs = {
    name: chart.name,
    chart: chart.name,
    version: settings.chartVersion,
    repositoryOpts: { repo: settings.repository },
    namespace: place.namespace,
    values,
    timeout: settings.timeoutSeconds,
    skipAwait: false,
    // A failed install stays in the cluster to be looked at; rolled back it would fail the same way next time.
    atomic: false,
  };
  const releaseOptions = {
    ...pulumi.mergeOptions(options, { dependsOn: ready }),
    ...(cluster && { deletedWith: cluster }),
    ...oneReleaseAtATime,
  };
  return new Release(...transformed(transform.release, `${name}-release`, args, releaseOptions));
}
