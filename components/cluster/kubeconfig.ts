/** The part of a kubeconfig that this library reads or changes. */
interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  readonly users: readonly { readonly user: { readonly exec: { readonly args: readonly string[] } } }[];
}

/** The address of the Kubernetes API, from the JSON kubeconfig of one cluster. */
export function serverOf(kubeconfigJson: string): string {
  return (JSON.parse(kubeconfigJson) as Kubeconfig).clusters[0]?.cluster.server ?? "";
}

/** The same kubeconfig, with tokens fetched by a named profile of the AWS CLI instead of the ambient credentials. */
export function withProfile(kubeconfigJson: string, profile: string | undefined): string {
  if (profile === undefined) return kubeconfigJson;
  const kubeconfig = JSON.parse(kubeconfigJson) as Kubeconfig;
  const users = kubeconfig.users.map(({ user, ...rest }) => ({
    ...rest,
    user: { ...user, exec: { ...user.exec, args: [...user.exec.args, "--profile", profile] } },
  }));
  return JSON.stringify({ ...kubeconfig, users });
}
