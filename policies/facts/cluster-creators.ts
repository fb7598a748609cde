import { custom } from "../engine/objects";

/** Where a custom resource states the charts that its controller installs. Paths of lists are read from their block. */
export interface Place {
  /** Blocks with one chart each: a list, or one object. The first path that has a value counts. */
  readonly charts: readonly string[];
  /** The chart. The first path that has a value counts. An `oci://` URL names it only if no other path does. */
  readonly reference: readonly string[];
  /** The first path that has a value counts. @default "version" */
  readonly version?: string | readonly string[];
  /** What fixes the content of the chart. */
  readonly digest?: string;
  /** Values, as an object or as YAML text. The first path that has a value counts. @default ["values"] */
  readonly values?: readonly string[];
  /** Values that override these: names and values, as a list or as an object. */
  readonly set?: string;
  /** Values in places that the rules cannot read. */
  readonly hidden?: readonly string[];
  /** The kind of source. A chart in a Git folder has no name or version: it may contain the one of its name. */
  readonly source?: string;
  /** Whether the controller replaces `{{ }}` in strings. */
  readonly isTemplate?: true;
}

const argo = {
  ...{ reference: ["chart", "repoURL"], version: "targetRevision", values: ["helm.valuesObject", "helm.values"] },
  ...{ set: "helm.parameters", hidden: ["helm.valueFiles", "helm.fileParameters"] },
};
const argoApplication: Place = { charts: ["spec.sources", "spec.source"], ...argo };
const argoSet: Place = {
  charts: ["spec.template.spec.sources", "spec.template.spec.source"],
  ...argo,
  isTemplate: true,
};
const k3s: Place = {
  ...{ charts: [], reference: ["spec.chart"], version: "spec.version", values: ["spec.values", "spec.valuesContent"] },
  ...{ set: "spec.set", hidden: ["spec.valuesSecrets"] },
};
const crossplane: Place = {
  ...{ charts: ["spec.forProvider"], reference: ["chart.name", "chart.url"], version: "chart.version" },
  ...{ set: "set", hidden: ["valuesFrom"] },
};
const k0sCluster: Place = { charts: ["spec.extensions.helm.charts"], reference: ["chartname"] };
const kubeVela: Place = {
  ...{ charts: ["spec.components"], reference: ["properties.chart", "properties.url"] },
  ...{ version: "properties.version", values: ["properties.values"] },
};
const sveltos: Place = {
  ...{ charts: ["spec.helmCharts"], reference: ["chartName"], version: "chartVersion" },
  ...{ hidden: ["valuesFrom"], isTemplate: true },
};
const fleet: Place = {
  ...{ charts: ["spec.helm"], reference: ["chart", "repo"] },
  ...{ hidden: ["valuesFiles", "valuesFrom"], isTemplate: true },
};
const proxy: Place = { charts: ["spec"], reference: ["chartName"], values: ["valuesTemplate"], isTemplate: true };

/** A release of Flux can refer to a source instead: see flux.ts. */
export const fluxRelease: Place = {
  ...{ charts: [], reference: ["spec.chart.spec.chart"], version: "spec.chart.spec.version", values: ["spec.values"] },
  ...{ hidden: ["spec.valuesFrom", "spec.chart.spec.valuesFiles"], source: "spec.chart.spec.sourceRef.kind" },
};

/** A package of an operator: see charts.ts. */
export const olmPackage: Place = { charts: [], reference: ["spec.name"], version: "spec.startingCSV" };

/** A controller, and where a custom resource of it states charts; undefined if it installs none. */
interface Creator {
  readonly controller: string;
  readonly place: Place | undefined;
}

const of = (controller: string, place: Place | undefined, ...names: readonly string[]) =>
  custom<Creator>({ controller, place }, ...names);

/**
 * The custom resources from which a controller creates objects in the cluster.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/helm/ `valuesObject` replaces `values`
 * @see https://docs.k3s.io/helm
 * @see https://github.com/crossplane-contrib/provider-helm/blob/main/examples/sample/release.yaml
 * @see https://docs.k0sproject.io/stable/helm-charts/
 * @see https://kubevela.io/docs/tutorials/helm/
 * @see https://projectsveltos.github.io/sveltos/addons/helm_charts/
 * @see https://fleet.rancher.io/ref-crds
 * @see https://github.com/kubernetes-sigs/cluster-api-addon-provider-helm
 */
export const clusterCreators: ReadonlyMap<string, Creator> = new Map([
  ...of("Argo CD", argoApplication, "argoproj.io/v1alpha1:Application"),
  ...of("Argo CD", argoSet, "argoproj.io/v1alpha1:ApplicationSet"),
  ...of("The Helm controller of k3s", k3s, "helm.cattle.io/v1:HelmChart"),
  ...of("Crossplane", crossplane, "helm.crossplane.io/v1beta1:Release", "helm.m.crossplane.io/v1beta1:Release"),
  ...of("k0s", { charts: ["spec"], reference: ["chartName"] }, "helm.k0sproject.io/v1beta1:Chart"),
  ...of("k0s", k0sCluster, "k0s.k0sproject.io/v1beta1:ClusterConfig"),
  ...of("KubeVela", kubeVela, "core.oam.dev/v1beta1:Application"),
  ...of("Sveltos", sveltos, "config.projectsveltos.io/v1beta1:ClusterProfile"),
  ...of("Sveltos", sveltos, "config.projectsveltos.io/v1beta1:Profile"),
  ...of("Fleet", fleet, "fleet.cattle.io/v1alpha1:Bundle", "fleet.cattle.io/v1alpha1:HelmOp"),
  ...of("Cluster API", proxy, "addons.cluster.x-k8s.io/v1alpha1:HelmChartProxy"),
  ...of("Flux", fluxRelease, "helm.toolkit.fluxcd.io/v2,v2beta2,v2beta1:HelmRelease"),
  ...of("Flux", undefined, "kustomize.toolkit.fluxcd.io/v1,v1beta2,v1beta1:Kustomization"),
  ...of("Fleet", undefined, "fleet.cattle.io/v1alpha1:GitRepo"),
  ...of("Cluster API", undefined, "addons.cluster.x-k8s.io/v1beta1:ClusterResourceSet"),
  ...of("kapp-controller", undefined, "kappctrl.k14s.io/v1alpha1:App", "packaging.carvel.dev/v1alpha1:PackageInstall"),
  ...of("Config Sync", undefined, "configsync.gke.io/v1beta1:RootSync", "configsync.gke.io/v1beta1:RepoSync"),
  ...of("The Operator Lifecycle Manager", olmPackage, "operators.coreos.com/v1alpha1:Subscription"),
]);

/** The types that install charts. */
export const customInstallers: readonly string[] = typesWhere((place) => place !== undefined);

/** @see https://fluxcd.io/flux/components/helm/helmreleases/ */
export const fluxReleases: readonly string[] = typesWhere((place) => place === fluxRelease);

/** @see https://olm.operatorframework.io/docs/concepts/crds/subscription/ */
export const subscriptions: readonly string[] = typesWhere((place) => place === olmPackage);

/** @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#applications */
export const applications: readonly string[] = typesWhere((place) => place === argoApplication);

function typesWhere(condition: (place: Place | undefined) => boolean): string[] {
  return [...clusterCreators].flatMap(([type, { place }]) => (condition(place) ? type : []));
}
