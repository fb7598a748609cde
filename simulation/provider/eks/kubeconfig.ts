/** The facts that a kubeconfig is made from. */
export interface KubeconfigFacts {
  readonly clusterName: string;
  readonly endpoint: string;
  readonly certificate: string;
  readonly arn: string;
  readonly credentials: { readonly profileName?: string; readonly roleArn?: string } | undefined;
}

/**
 * A kubeconfig that fetches tokens by the AWS CLI.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts generateKubeconfig
 */
export function kubeconfigOf(
  { clusterName, endpoint, certificate, arn, credentials }: KubeconfigFacts,
  profile: boolean,
) {
  const region = arn.split(":")[3] ?? "";
  const { roleArn, profileName } = credentials ?? {};
  const args = [
    ...["--region", region, "eks", "get-token", "--cluster-name", clusterName, "--output", "json"],
    ...(roleArn ? ["--role", roleArn] : []),
    ...(profile && profileName ? ["--profile", profileName] : []),
  ];
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  const env = [{ name: "KUBERNETES_EXEC_INFO", value: `{"apiVersion": "${apiVersion}"}` }];
  return {
    apiVersion: "v1",
    clusters: [{ cluster: { server: endpoint, "certificate-authority-data": certificate }, name: "kubernetes" }],
    contexts: [{ context: { cluster: "kubernetes", user: "aws" }, name: "aws" }],
    "current-context": "aws",
    kind: "Config",
    users: [{ name: "aws", user: { exec: { apiVersion, command: "aws", args, env } } }],
  };
}
