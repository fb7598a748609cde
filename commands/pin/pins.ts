import { posix } from "node:path";
import * as semver from "semver";
import { withoutUndefined } from "../../components/core/reader/records";
import {
  clusterAutoscalerChart,
  gpuOperatorChart,
  kubePrometheusStackChart,
  loadBalancerControllerChart,
} from "../../components/core/versions";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { seriesNotice } from "../../components/gpu/operator/compatibility";
import type { WantedImage } from "../../components/preflight/preflight-facts";
import { wantedVersions } from "../../components/preflight/preflight-request";
import type { Aws } from "../../aws/clients";
import { whyUnread } from "../../aws/account/facts";
import { readAddon, readChart, readParameter } from "../../aws/account/versions";

/** A version in the configuration of a stack. */
interface Pin {
  /** The configuration key, e.g. `gpuNodes.releaseVersion`. */
  readonly key: string;
  /** The version in effect; undefined for an add-on without one. */
  readonly current: string | undefined;
  readonly source:
    | ({ readonly kind: "ami" } & Pick<WantedImage, "name" | "newest">)
    | { readonly kind: "addon"; readonly addon: string; readonly kubernetesVersion: string }
    | { readonly kind: "chart"; readonly repository: string; readonly chart: string; readonly major?: number };
}

/** What is published for a pin. */
interface Offer {
  /** The newest first: the versions that can be chosen. */
  readonly versions: readonly string[];
  /** Whether the version in effect is still published. */
  readonly hasCurrent: boolean;
  /** What EKS installs without a version. */
  readonly standard?: string;
}

/** `newer`: a newer version fits. `gone`: the version in effect is not published. `unpinned`: there is none. */
type PinStatus = "current" | "newer" | "gone" | "unpinned" | "unread";

/** A pin, compared with what is published. */
export interface ComparedPin extends Pick<Pin, "key" | "current">, Pick<Offer, "standard"> {
  readonly status: PinStatus;
  /** The version to pin; undefined if the current one stays. */
  readonly wanted?: string;
  /** Why it could not be read, why the newest version is not chosen, or what its publisher says about it. */
  readonly note?: string;
}

/** The pins of an environment: AMI releases, add-ons, and the charts that are installed. */
export function pinsOf(settings: EnvironmentSettings): Pin[] {
  const { kubernetesVersion, gpuOperator, monitoring } = settings;
  const { images, addons } = wantedVersions(settings);
  return [
    ...images.map(({ path: key, release: current, name, newest }): Pin => ({
      ...{ key, current, source: { kind: "ami", name, newest } },
    })),
    ...addons.map(({ name: addon, version: current }): Pin => ({
      ...{ key: `addons.${addon}`, current, source: { kind: "addon", addon, kubernetesVersion } },
    })),
    ...(gpuOperator.enabled ? [chartPin("gpuOperator", gpuOperator, gpuOperatorChart.name)] : []),
    ...(monitoring.enabled ? [chartPin("monitoring", monitoring, kubePrometheusStackChart.name)] : []),
    ...controllerPins(settings),
  ];
}

/**
 * The charts of the controllers come from the repositories of their projects. The IAM policies and values of this library are
 * for one major version of each, which no rule compares.
 */
function controllerPins({ controllers }: EnvironmentSettings): Pin[] {
  const { loadBalancerController, clusterAutoscaler } = controllers;
  const charts = [
    { key: "loadBalancerController", ...loadBalancerController, chart: loadBalancerControllerChart },
    { key: "clusterAutoscaler", ...clusterAutoscaler, chart: clusterAutoscalerChart },
  ];
  return charts
    .filter(({ install }) => install)
    .map(({ key, chartVersion, chart: { name: chart, repository, version } }): Pin => ({
      ...{ key: `controllers.${key}.chartVersion`, current: chartVersion },
      source: { kind: "chart", repository, chart, major: semver.major(version) },
    }));
}

function chartPin(
  section: string,
  { chartVersion, repository }: { readonly chartVersion: string; readonly repository: string },
  chart: string,
): Pin {
  return { key: `${section}.chartVersion`, current: chartVersion, source: { kind: "chart", repository, chart } };
}

/** Reads what is published for a pin; or why that is not known. */
export async function readOffer(clients: Aws, { source, current }: Pin): Promise<Offer | { readonly why: string }> {
  try {
    switch (source.kind) {
      case "ami": {
        const [newest, published] = await Promise.all([
          readParameter(clients, source.newest),
          readParameter(clients, `${source.name}/release_version`),
        ]);
        const folder = posix.dirname(source.name);
        if (newest === undefined) return { why: `AWS publishes no release below ${folder} in this region.` };
        return { versions: [newest], hasCurrent: published === current };
      }
      case "addon": {
        const { versions, standard } = await readAddon(clients, source.addon, source.kubernetesVersion);
        const hasCurrent = current !== undefined && versions.includes(current);
        return { versions, hasCurrent, standard };
      }
      case "chart": {
        const read = await readChart(source.repository, source.chart);
        if ("why" in read) return read;
        const { major } = source;
        const versions = read.versions.filter((one) => major === undefined || semver.major(one) === major);
        return { versions, hasCurrent: read.versions.some((one) => isSame(one, current)) };
      }
    }
  } catch (error) {
    return { why: whyUnread(error) };
  }
}

/** `26.3.1` and `v26.3.1` are the same chart. */
function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && one.replace(/^v/, "") === other.replace(/^v/, "");
}

/** Most versions that are tried before a newer one counts as not supported. */
const mostTries = 200;

/**
 * Compares a pin with what is published.
 *
 * @param accepts whether the rules of this library accept the configuration with this version
 */
export function comparePin(
  { key, current, source }: Pin,
  offer: Offer | { readonly why: string },
  accepts: (key: string, version: string) => boolean,
): ComparedPin {
  if ("why" in offer) return { key, current, status: "unread", note: offer.why };
  const { versions, hasCurrent, standard } = offer;
  const isCandidate = (version: string) => !hasCurrent || isNewer(version, current ?? "", source.kind);
  const candidates = versions.slice(0, mostTries).filter(isCandidate);
  const wanted = candidates.find((version) => accepts(key, version));
  const [newest] = candidates;
  const misfit =
    newest !== undefined && newest !== wanted ? `${newest} is not compatible with this library.` : undefined;
  const isOperator = source.kind === "chart" && source.chart === gpuOperatorChart.name;
  const notice = isOperator && current !== undefined ? seriesNotice(current) : undefined;
  const note = [notice, misfit].filter((text) => text !== undefined).join(" ") || undefined;
  const known = wanted === undefined ? "current" : "newer";
  const status: PinStatus = current === undefined ? "unpinned" : hasCurrent ? known : "gone";
  return { key, current, status, ...withoutUndefined({ wanted, standard, note }) };
}

/** AMI releases are compared by their date. */
function isNewer(version: string, than: string, kind: Pin["source"]["kind"]): boolean {
  if (kind === "ami") return version.slice(-8) > than.slice(-8);
  return semver.valid(version) !== null && semver.valid(than) !== null && semver.gt(version, than);
}
