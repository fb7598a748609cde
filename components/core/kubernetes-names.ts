import * as v from "valibot";
import { check, explain, input, mapOf, matching, problemsIn, text } from "./schema";
import { kubernetesVersion } from "./versions";

const namePattern = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const prefixPattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

const nameFix = 'use a name such as "team" or "example.com/team"';

/**
 * A name with an optional domain before a slash, as keys of labels, annotations and taints are.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
export function qualifiedName() {
  return v.pipe(
    v.string(explain("Must be a string.", nameFix)),
    check((got: string, path) => {
      const slash = got.indexOf("/");
      if (namePattern.test(got.slice(slash + 1)) && (slash < 0 || prefixPattern.test(got.slice(0, slash)))) return [];
      const why =
        "Must be up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit, after an optional domain and a slash.";
      return [{ code: "not-allowed", path, got, why, fix: nameFix }];
    }),
  );
}

/** The value of a label or a taint. `example` shows one in the fix. */
export function labelValue(example = "research") {
  const isBare = (input: unknown) =>
    typeof input === "boolean" || (typeof input === "number" && Number.isFinite(input));
  return v.pipe(
    v.string(({ input }) =>
      explain(
        "Must be a string.",
        isBare(input) ? `put it in quotes: "${String(input)}"` : `set {path} to a string such as "${example}"`,
      ),
    ),
    v.regex(
      /^$|^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
      explain(
        "Must be empty, or up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit.",
        `set {path} to a string such as "${example}"`,
      ),
    ),
  );
}

/** A minor version of Kubernetes, such as `1.35`. */
export function kubernetesMinor() {
  const fix = `set {path} to the cluster's version in quotes, e.g. "${kubernetesVersion}"`;
  return matching(/^1\.\d{2}$/, "a minor version of Kubernetes", fix);
}

/** Labels of an object, or of the nodes that a selector chooses. `example` shows some in the fix. */
export function labels(example: string) {
  return v.pipe(
    mapOf(labelValue(), example),
    check((given: Readonly<Record<string, string>>, at) =>
      Object.keys(given).flatMap((key) => problemsIn(qualifiedName(), key, `${at}[${JSON.stringify(key)}]`)),
    ),
  );
}

/**
 * A name that becomes part of host names (RFC 1123), such as that of a namespace or a Service.
 *
 * @param longest 63 less the characters that are added to it
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
 */
export function dnsLabel({ example = "gpu-lab", longest = 63 }: { example?: string; longest?: number } = {}) {
  const why = `Must be 1 to ${longest} lowercase letters, digits and dashes, beginning and ending with a letter or digit.`;
  const fix = `set {path} to a name such as "${example}"`;
  return v.pipe(
    text(fix),
    check((got: string, path) => {
      if (got.length <= longest && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(got)) return [];
      const code = got.length > longest ? "out-of-range" : "not-allowed";
      return [{ code, path, got, why, fix: fix.replace("{path}", path) }];
    }),
  );
}

/**
 * The name of a Service (RFC 1035), or of an object with a Service of the same name.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#rfc-1035-label-names
 */
export function serviceName({ longest = 63 }: { longest?: number } = {}) {
  return v.pipe(
    dnsLabel({ longest }),
    check((got: string, path) => {
      if (/^[a-z]/.test(got)) return [];
      const why = "Must begin with a letter: it is the name of a Service.";
      return [{ code: "not-allowed", path, got, why, fix: `begin ${path} with a letter, e.g. "gpu-${got}"` }];
    }),
  );
}

/** The namespace of an object. An Output comes from a resource, whose name Kubernetes accepted. */
export function namespace() {
  return input(dnsLabel());
}

/** Lowercase words of letters, digits and dashes, with dots between them (RFC 1123). */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The name of an object that exists, such as a Secret. */
export function objectName(example: string) {
  const fix = `set {path} to a name such as "${example}"`;
  return v.pipe(
    matching(subdomain, "a name of lowercase letters, digits, dashes and dots", fix),
    v.maxLength(253, explain("Must have at most 253 characters.", fix)),
  );
}

/** The name of a node, as `kubectl get nodes` prints it: on EKS the private DNS name of the instance. */
export function nodeName() {
  const fix = 'set {path} to a node such as "ip-192-168-1-2.ap-northeast-2.compute.internal"';
  return v.pipe(
    matching(subdomain, "the name of a node as `kubectl get nodes` prints it, in lowercase", fix),
    v.maxLength(253, explain("Must have at most 253 characters.", fix)),
  );
}

/**
 * An amount of CPU or memory, greater than zero.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantity(kind: "cpu" | "memory") {
  return kind === "cpu"
    ? matching(
        /^(?!0+m?$)\d{1,6}(m|\.\d{1,3})?$/,
        "a number of cores, or of thousandths of a core followed by m",
        'set {path} to an amount such as "250m"',
      )
    : matching(
        /^(?!0)\d{1,9}([KMGT]i|[kMGT])$/,
        "a whole number followed by Mi, Gi or another unit",
        'set {path} to an amount such as "512Mi"',
      );
}
const clusterNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** A namespace that a component creates. */
export function newNamespace(example: string) {
  return v.pipe(
    dnsLabel({ example }),
    check((got: string, path) => {
      if (!clusterNamespaces.includes(got)) return [];
      const why =
        "Every cluster already has this namespace. The component creates its own namespace, with the label privileged.";
      return [{ code: "not-allowed", path, got, why, fix: `set ${path} to another name, such as "${example}"` }];
    }),
  );
}
