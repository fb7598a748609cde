import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { labelValue, qualifiedName } from "../checks";

/** Labels of Kubernetes nodes. */
export type Labels = Readonly<Record<string, string>>;

/** The kubelet may set labels of these two domains of Kubernetes itself; of the others it refuses to start. */
const openDomains = ["node.kubernetes.io", "kubelet.kubernetes.io"];
const reservedDomains = ["kubernetes.io", "k8s.io", "eks.amazonaws.com"];

/** Problems of node labels that a group adds to its `fixed` ones. A fixed label may be repeated, not changed. */
export function labelProblems(got: unknown, path: string, fixed: Labels): Problem[] {
  if (!isRecord(got)) {
    const fix = `set ${path} to an object such as { team: "research" }`;
    return [{ code: "wrong-type", path, got, why: "It must be an object of texts.", fix }];
  }
  return Object.entries(got).flatMap(([key, value]) => {
    const at = `${path}["${key}"]`;
    const own = Object.hasOwn(fixed, key) ? fixed[key] : undefined;
    if (own !== undefined && own !== value) return [changed(at, value, own)];
    return [...qualifiedName(key, at), ...reservedName(key, at), ...labelValue(value, at)];
  });
}

function changed(path: string, got: unknown, own: string): Problem {
  const why = `The group sets this label to "${own}" itself: schedulers, charts and the autoscaler count on it.`;
  return { code: "conflict", path, got, why, fix: "use a label of another name" };
}

/**
 * EKS passes labels to the kubelet, which may not set any of Kubernetes' own domains.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/279-limit-node-access
 * @see https://github.com/terraform-aws-modules/terraform-aws-eks/issues/3346
 */
function reservedName(key: string, path: string): Problem[] {
  const domain = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
  if (openDomains.some((open) => within(domain, open))) return [];
  const reserved = reservedDomains.find((name) => within(domain, name));
  if (!reserved) return [];
  const why = `Labels of ${reserved} are reserved: EKS refuses them, or the kubelet does and the node never joins.`;
  return [{ code: "not-allowed", path, got: key, why, fix: "use a domain of your own, or node.kubernetes.io" }];
}

function within(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
