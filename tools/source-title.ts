/** Who publishes the pages of a host. */
const publishers: Readonly<Record<string, string>> = {
  "cloudinit.readthedocs.io": "cloud-init",
  "docs.aws.amazon.com": "AWS",
  "docs.nvidia.com": "NVIDIA",
  "docs.vllm.ai": "vLLM",
  "helm.sh": "Helm",
  "karpenter.sh": "Karpenter",
  "kubernetes.io": "Kubernetes",
  "prometheus.io": "Prometheus",
  "www.pulumi.com": "Pulumi",
};

/**
 * The title of a source from its address: `Kubernetes: deployment, failed deployment`, or `NVIDIA/gpu-operator #397`.
 *
 * @throws Error for a host that is not in the table
 */
export function sourceTitle(address: string): string {
  const { hostname, pathname, hash } = new URL(address);
  const parts = pathname.split("/").filter((part) => part !== "");
  if (hostname === "github.com") return gitHubTitle(parts, hash);
  const publisher = publishers[hostname];
  if (publisher === undefined) throw new Error(`tools/source-title.ts does not name the publisher of ${hostname}.`);
  const page = wordsOf(parts.at(-1)?.replace(/\.html$|^API_/g, "") ?? "");
  return `${publisher}: ${page}${hash === "" ? "" : `, ${wordsOf(hash.slice(1))}`}`;
}

/** A repository, with the number of an issue or the name of a file and its lines. */
function gitHubTitle([owner, repository, kind, ...rest]: readonly string[], lines: string): string {
  const name = `${owner}/${repository}`;
  if (kind === undefined) return name;
  return kind === "blob" ? `${name}: ${rest.at(-1)}${lines}` : `${name} #${rest[0]}`;
}

function wordsOf(text: string): string {
  return text.replaceAll(/[-_]+/g, " ").trim();
}
