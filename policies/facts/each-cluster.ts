import { Stack, typesIn, type Resource } from "../engine/resource";
import type { Parameters } from "../engine/parameters";
import { stackRule, type Check, type StackRule, type StackRuleDefinition, type Typed } from "../engine/rule";
import { applications, fluxReleases } from "./cluster-creators";
import { awsCluster, clusterTypes, eksCluster, kubernetesProvider } from "./clusters";

/** A stack rule that judges each cluster on its own. */
export function clusterRule<P extends Parameters = Record<never, never>, const Id extends string = string>(
  definition: StackRuleDefinition<P> & { readonly id: Id },
): StackRule & Typed<Id, P> {
  // The last types tell clusters apart.
  const types = [...definition.types, kubernetesProvider, awsCluster, eksCluster];
  return stackRule({ ...definition, types, division: inEachCluster });
}

/**
 * Judges the clusters of a stack one by one, each with the resources of which the cluster is not known. A check counts in
 * the cluster of its resource.
 *
 * A Kubernetes resource is in the cluster of its provider, and a resource of EKS in the cluster that it names. The two
 * are one cluster if the kubeconfig of the provider is an output of the cluster or contains its name. A provider of
 * which no cluster is known may be any cluster that no other provider is known to reach.
 */
function* inEachCluster(stack: Stack, judge: (part: Stack) => Iterable<Check>): Iterable<Check> {
  const parts = clustersOf(stack);
  if (parts.length < 2) {
    yield* judge(stack);
    return;
  }
  const divided = new Set(parts.flatMap(({ urns }) => [...urns]));
  for (const part of parts) {
    const apart = new Set(parts.filter((other) => isOther(part, other)).flatMap(({ urns }) => [...urns]));
    const visible = new Stack(stack.resources.filter(({ urn }) => !apart.has(urn)));
    for (const check of judge(visible)) if (check.resource && part.urns.has(check.resource.urn)) yield check;
  }
  for (const check of judge(stack)) if (!check.resource || !divided.has(check.resource.urn)) yield check;
}

/** A cluster of a stack: its names, and the resources that are in it. */
interface Cluster {
  readonly names: Set<string>;
  readonly urns: Set<string>;
}

/** A cluster without a provider and a provider without a cluster may be the same. */
function isOther(one: Cluster, other: Cluster): boolean {
  if (one === other) return false;
  const bothHave = (isMeant: (name: string) => boolean) => [one, other].every(({ names }) => [...names].some(isMeant));
  return bothHave(isOfEks) || bothHave((name) => !isOfEks(name));
}

function isOfEks(name: string): boolean {
  return name.startsWith("eks ");
}

/** Clusters with a name in common are one. */
function clustersOf(stack: Stack): Cluster[] {
  const providers = new Map(stack.ofType(kubernetesProvider).map((one) => [one.urn, namesOfProvider(one)]));
  const clusters = new Set<Cluster>();
  // An object in another resource has the URN of that resource, and is in its cluster.
  for (const resource of stack.resources.filter(({ path }) => path === "")) {
    const names = namesOf(resource, providers);
    if (names.length === 0) continue;
    const own: Cluster = { names: new Set(names), urns: new Set([resource.urn]) };
    const [first = own, ...others] = [...clusters].filter((cluster) => names.some((name) => cluster.names.has(name)));
    for (const other of [own, ...others]) {
      clusters.delete(other);
      for (const name of other.names) first.names.add(name);
      for (const urn of other.urns) first.urns.add(urn);
    }
    clusters.add(first);
  }
  return [...clusters];
}

/** Names of the cluster of a resource: those of EKS begin with `eks `. */
function namesOf(resource: Resource, providers: ReadonlyMap<string, readonly string[]>): string[] {
  const { type, parent, provider } = resource;
  if (type === kubernetesProvider) return [...(providers.get(resource.urn) ?? [])];
  const remote = remoteCluster(resource);
  if (remote !== undefined) return [`remote ${remote}`];
  const ofParent = clusterUrns([parent ?? ""]);
  if (type.startsWith("kubernetes:")) {
    const own = provider === undefined ? [] : [`provider ${provider}`, ...(providers.get(provider) ?? [])];
    return [...own, ...ofParent];
  }
  const isCluster = clusterTypes.includes(type);
  const name = resource.text(type === awsCluster ? "name" : "clusterName").value;
  return [
    ...ofParent,
    ...(isCluster ? [`eks ${resource.urn}`] : []),
    ...clusterUrns(["clusterName", "cluster"].flatMap((property) => resource.dependenciesOf(property))),
    ...(name === undefined ? [] : [`eks ${name}`]),
  ];
}

function namesOfProvider(provider: Resource): string[] {
  const kubeconfig = provider.text("kubeconfig").value;
  const context = provider.text("context").value ?? "";
  const name = clusterIn(context) ?? clusterIn(kubeconfig ?? "");
  return [
    `provider ${provider.urn}`,
    ...clusterUrns([provider.parent ?? "", ...provider.dependenciesOf("kubeconfig")]),
    ...(kubeconfig === undefined ? [] : [`kubeconfig ${context} ${kubeconfig}`]),
    ...(name === undefined ? [] : [`eks ${name}`]),
  ];
}

/** The only EKS cluster that a kubeconfig contains: an argument of the command that gets the token, or an ARN. */
function clusterIn(kubeconfig: string): string | undefined {
  const pattern = /(?:--cluster-(?:name|id)["',\s=]+(?:-\s+)?["']?|:cluster\/)([0-9A-Za-z][\w-]{0,99})/g;
  const names = new Set([...kubeconfig.slice(0, longest).matchAll(pattern)].map(([, name]) => name));
  return names.size === 1 ? [...names][0] : undefined;
}

/** More than a kubeconfig has. */
const longest = 256 * 1024;

function clusterUrns(urns: readonly string[]): string[] {
  return urns.filter((urn) => clusterTypes.includes(typesIn(urn).at(-1) ?? "")).map((urn) => `eks ${urn}`);
}

/** The other cluster into which Argo CD or Flux installs. */
function remoteCluster(resource: Resource): string | undefined {
  if (fluxReleases.includes(resource.type)) return resource.text("spec.kubeConfig.secretRef.name").value;
  if (!applications.includes(resource.type)) return undefined;
  const [server, name] = ["server", "name"].map((key) => resource.text(`spec.destination.${key}`).value);
  const isOwn = (server ?? "https://kubernetes.default.svc") === "https://kubernetes.default.svc";
  return isOwn && (name ?? "in-cluster") === "in-cluster" ? undefined : `${server} ${name}`;
}
