import * as v from "valibot";
import type { Problem } from "../core/problems";
import { s } from "../core/schema";
import { namePrefixLimit } from "./identity/policy-document";

/** Characters that derived names need in addition to the cluster's name, such as `-flow-logs-`. */
const rolePartLength = 12;
const longest = namePrefixLimit - rolePartLength;

/** The name of a new cluster: valid for EKS, and short enough for the IAM name prefixes that begin with it. */
export function newClusterName() {
  const form = "letters, digits, hyphens and underscores, beginning with a letter or digit, and not with sg-";
  return v.pipe(
    s.matching(/^(?!sg-)[A-Za-z0-9][A-Za-z0-9_-]*$/, form, "set {path} to a name such as myeks"),
    s.check((got: string, path): Problem[] => {
      if (got.length <= longest) return [];
      const why = `Must be up to ${longest} characters, not ${got.length}: IAM limits the prefix of a role name to ${namePrefixLimit}, and ${rolePartLength} of them are for the role.`;
      return [{ code: "out-of-range", path, got, why, fix: `shorten ${path} to ${longest} characters or fewer` }];
    }),
  );
}

/** The name of an existing cluster, or of one that this program creates. */
export function clusterName() {
  const fix = "set {path} to the name of the cluster";
  return s.input(v.pipe(s.text(fix), v.minLength(1, s.explain("Must be set.", fix))));
}
