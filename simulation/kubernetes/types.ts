/** Type tokens that others refer to. */
export const kubernetesTypes = {
  namespace: "kubernetes:core/v1:Namespace",
  customResourceDefinition: "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition",
  release: "kubernetes:helm.sh/v3:Release",
} as const;
