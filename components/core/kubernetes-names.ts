import * as v from "valibot";
import { check, explain, matching } from "./schema";

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
        "Must be up to 63 letters, digits, dots, dashes and underscores that begin and end with a letter or digit, after an optional domain and a slash.";
      return [{ code: "not-allowed", path, got, why, fix: nameFix }];
    }),
  );
}

/** The value of a label or a taint. */
export function labelValue() {
  const isBare = (input: unknown) =>
    typeof input === "boolean" || (typeof input === "number" && Number.isFinite(input));
  return v.pipe(
    v.string(({ input }) =>
      explain(
        "Must be a string.",
        isBare(input) ? `put it in quotes: "${String(input)}"` : 'use a string such as "research"',
      ),
    ),
    v.regex(
      /^$|^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
      explain(
        "Must be empty, or up to 63 letters, digits, dots, dashes and underscores that begin and end with a letter or digit.",
        'use a string such as "research"',
      ),
    ),
  );
}

/** A minor version of Kubernetes, such as `1.35`. */
export function kubernetesMinor() {
  const fix = 'set {path} to the cluster\'s version in quotes, e.g. "1.35"';
  return matching(/^1\.\d{2}$/, "a minor version of Kubernetes", fix);
}
