/** By controller: the custom resources from which it creates objects in the cluster. */
export const clusterCreators = {
  "Argo CD": ["kubernetes:argoproj.io/v1alpha1:Application", "kubernetes:argoproj.io/v1alpha1:ApplicationSet"],
  Flux: [
    "kubernetes:helm.toolkit.fluxcd.io/v2:HelmRelease",
    "kubernetes:helm.toolkit.fluxcd.io/v2beta2:HelmRelease",
    "kubernetes:helm.toolkit.fluxcd.io/v2beta1:HelmRelease",
    "kubernetes:kustomize.toolkit.fluxcd.io/v1:Kustomization",
    "kubernetes:kustomize.toolkit.fluxcd.io/v1beta2:Kustomization",
    "kubernetes:kustomize.toolkit.fluxcd.io/v1beta1:Kustomization",
  ],
  "The Helm controller of k3s": ["kubernetes:helm.cattle.io/v1:HelmChart"],
  Crossplane: ["kubernetes:helm.crossplane.io/v1beta1:Release", "kubernetes:helm.m.crossplane.io/v1beta1:Release"],
  k0s: ["kubernetes:helm.k0sproject.io/v1beta1:Chart", "kubernetes:k0s.k0sproject.io/v1beta1:ClusterConfig"],
  KubeVela: ["kubernetes:core.oam.dev/v1beta1:Application"],
  Sveltos: [
    "kubernetes:config.projectsveltos.io/v1beta1:ClusterProfile",
    "kubernetes:config.projectsveltos.io/v1beta1:Profile",
  ],
  Fleet: ["kubernetes:fleet.cattle.io/v1alpha1:Bundle", "kubernetes:fleet.cattle.io/v1alpha1:HelmOp"],
  "Cluster API": ["kubernetes:addons.cluster.x-k8s.io/v1alpha1:HelmChartProxy"],
} as const;

/** The types of a controller, or of all. */
export type ClusterCreator<Controller extends keyof typeof clusterCreators = keyof typeof clusterCreators> =
  (typeof clusterCreators)[Controller][number];
