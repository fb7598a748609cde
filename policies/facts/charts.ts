import type { Truth } from "../../components/core/reader/truth";
import type { Resource, Stack } from "../engine/resource";
import { argoCharts, argoTypes } from "./argo-cd";
import { fluxChart, fluxReleases, fluxSource, fluxSources } from "./flux";
import { chartV3, chartV4, helmChart, release } from "./helm";
import { namesChart, type InstalledChart } from "./installed-chart";

/** The types that install Helm charts: those of Pulumi, and the custom resources of Argo CD and Flux. */
export const installers: readonly string[] = [release, chartV3, chartV4, ...argoTypes, ...fluxReleases];

/** The types of Flux that select the version of a chart for a HelmRelease. */
export const chartSources: readonly string[] = fluxSources;

/**
 * The charts that a resource installs. An Application of Argo CD may install several.
 *
 * @param stack finds the source of a chart in another resource
 */
export function chartsOf(resource: Resource, stack?: Stack): readonly InstalledChart[] {
  if (argoTypes.includes(resource.type)) return argoCharts(resource);
  if (fluxReleases.includes(resource.type)) return [fluxChart(resource, stack)];
  if (fluxSources.includes(resource.type)) return [fluxSource(resource)];
  return [helmChart(resource)];
}

/** The chart of a name in a resource: the one that certainly has the name, else one that may have it, else the first. */
export function chartNamed(resource: Resource, name: string, stack?: Stack): InstalledChart {
  const charts = chartsOf(resource, stack);
  const [first] = charts;
  const certain = charts.find((chart) => namesChart(chart, name) === true);
  return certain ?? charts.find((chart) => namesChart(chart, name) !== false) ?? first ?? helmChart(resource);
}

/** Whether a resource installs a chart. Not true for a v4 Chart that the engine passes without inputs. */
export function installsChart(installer: Resource, name: string, stack?: Stack): Truth {
  return namesChart(chartNamed(installer, name, stack), name);
}
