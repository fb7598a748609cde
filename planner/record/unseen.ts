import type { Properties } from "../../components/core/wire";
import type { Unseen } from "../../policies/engine/unseen";
import type { Manifests } from "../manifests/manifest";

const types = "kubernetes:";
const byEngine = "run pulumi preview with the policy pack, which judges them";
const byHelm = "render the chart with helm template, and judge its objects with kubernetes.yaml.v2.ConfigFile";

/** What creates objects that a plan does not have, by type. */
const creators: Readonly<Record<string, Omit<Unseen, "types">>> = {
  "kubernetes:helm.sh/v3:Release": { why: "Helm creates the objects of its chart during the update", fix: byHelm },
  "kubernetes:helm.sh/v3:Chart": { why: "its chart is not rendered", fix: byEngine },
  "kubernetes:helm.sh/v4:Chart": { why: "its chart is not rendered", fix: byEngine },
  ...inCluster("Argo CD", ["argoproj.io/v1alpha1:Application", "argoproj.io/v1alpha1:ApplicationSet"]),
  ...inCluster("Flux", [
    ...["v1", "v1beta2", "v2beta1"].map((version) => `kustomize.toolkit.fluxcd.io/${version}:Kustomization`),
    ...["v2", "v2beta1", "v2beta2"].map((version) => `helm.toolkit.fluxcd.io/${version}:HelmRelease`),
  ]),
};

function inCluster(controller: string, kinds: readonly string[]) {
  const unseen = {
    why: `${controller} creates its objects in the cluster`,
    fix: "judge its manifests in their repository",
  };
  return Object.fromEntries(kinds.map((kind) => [`${types}${kind}`, unseen]));
}

interface Registered {
  readonly type: string;
  readonly urn: string;
  readonly remote: boolean;
  readonly inputs: Properties;
}

/** What a resource creates that a plan does not have. The parts of the library are known. */
export function unseenOf({ type, urn, remote }: Registered, manifests: Manifests | undefined): readonly Unseen[] {
  if (urn.includes("eks-gpu-lab:index:")) return [];
  if (manifests) return manifests.unread.map((why) => ({ why, fix: byEngine, types }));
  const creator = creators[type];
  if (creator) return [{ ...creator, types }];
  if (!remote) return [];
  return [{ why: `the provider of ${type} creates its resources during the update`, fix: byEngine }];
}
