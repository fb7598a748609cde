import { matching } from "../../core/checks";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * A name that Kubernetes uses in DNS (RFC 1123), such as a pod's or a Service's: it becomes part of host names.
 *
 * @param longest how many characters it may have; 63 less what is added to it
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
 */
export function dnsLabelProblems(path: string, got: unknown, longest = 63): Problem[] {
  const form = `1 to ${longest} lower-case letters, digits and dashes, with a letter or digit at both ends`;
  const fix = `set ${path} to a name such as "gpu-lab"`;
  if (typeof got === "string" && got.length > longest) {
    return [{ code: "out-of-range", path, got, why: `It must be ${form}.`, fix }];
  }
  return matching(path, got, label, form, fix);
}

/**
 * A Service is an address in DNS that begins with a letter (RFC 1035), and so must be what is named after one.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#rfc-1035-label-names
 */
export function serviceNameProblems(path: string, got: unknown, longest = 63): Problem[] {
  const problems = dnsLabelProblems(path, got, longest);
  if (problems.length > 0 || /^[a-z]/.test(String(got))) return problems;
  const why = "A Service has this name, and those begin with a letter.";
  return [{ code: "not-allowed", path, got, why, fix: `begin ${path} with a letter, e.g. "gpu-${String(got)}"` }];
}

/** A namespace. One that is known only later comes from a resource, and Kubernetes has taken its name already. */
export function namespaceProblems(path: string, got: unknown): Problem[] {
  return isOutput(got) ? [] : dnsLabelProblems(path, got);
}

/** A text that reaches a pod as it is: an annotation or a variable. */
export function freeTextProblems(path: string, got: unknown, longest = 200): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to a text such as "after-restore"`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  if (got !== "" && got.length <= longest) return [];
  return [{ code: "out-of-range", path, got, why: `It must have 1 to ${longest} characters.`, fix }];
}

/** A node, by the name that `kubectl get nodes` shows: a DNS name, on EKS the private one of the instance. */
export function nodeNameProblems(path: string, got: unknown): Problem[] {
  const form = "a name as kubectl get nodes shows it, in lower case";
  const fix = `set ${path} to a node such as "ip-192-168-1-2.ap-northeast-2.compute.internal"`;
  const problems = matching(path, got, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, form, fix);
  if (problems.length > 0 || String(got).length <= 253) return problems;
  return [{ code: "out-of-range", path, got, why: "It must have at most 253 characters.", fix }];
}
