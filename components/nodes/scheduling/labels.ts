import * as v from "valibot";
import { labelValue, qualifiedName } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { ownValue } from "../../core/reader/records";
import { s, problemsIn } from "../../core/schema";

/** Labels of Kubernetes nodes. */
export type Labels = Readonly<Record<string, string>>;

/**
 * The only Kubernetes domains whose labels the kubelet may set; with labels of other Kubernetes domains it does not
 * start.
 */
const openDomains = ["node.kubernetes.io", "kubelet.kubernetes.io"];
const reservedDomains = ["kubernetes.io", "k8s.io", "eks.amazonaws.com"];

/** Labels that a user adds to a group's own ones. */
export function labelMap() {
  return v.pipe(
    s.mapOf(labelValue(), '{ team: "research" }'),
    s.check((labels: Labels, at) =>
      Object.keys(labels).flatMap((key) => {
        const path = `${at}["${key}"]`;
        const named = problemsIn(qualifiedName(), key, path);
        return named.length > 0 ? named : reservedName(key, path);
      }),
    ),
  );
}

/** Labels that a group sets itself to another value. Repeating its own value changes nothing. */
export function labelConflicts(labels: Labels, path: string, fixed: Labels): Problem[] {
  return Object.entries(labels).flatMap(([key, got]): Problem[] => {
    const own = ownValue(fixed, key);
    if (own === undefined || own === got) return [];
    const why = `The group sets this label to "${own}" itself: schedulers, charts and the autoscaler rely on it.`;
    return [{ code: "conflict", path: `${path}["${key}"]`, got, why, fix: "use another label name" }];
  });
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
  const why = `Labels of ${reserved} are reserved: EKS rejects them, or the kubelet rejects them and the node never joins.`;
  return [{ code: "not-allowed", path, got: key, why, fix: "use your own domain, or node.kubernetes.io" }];
}

function within(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
