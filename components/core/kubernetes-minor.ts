import { matching } from "./checks";
import type { Problem } from "./problems";

/**
 * The minor version of a cluster's Kubernetes, such as `1.35`, which whatever depends on it must know. Whether this
 * library makes such a cluster is another question.
 */
export function kubernetesMinorProblems(path: string, got: unknown): Problem[] {
  const fix = `set ${path} to the cluster's version in quotes, e.g. "1.35"`;
  if (got === undefined || got === null) {
    return [{ code: "missing", path, got, why: "What is installed must fit the cluster's Kubernetes version.", fix }];
  }
  return matching(path, got, /^1\.\d{2}$/, "a minor version of Kubernetes", fix);
}
