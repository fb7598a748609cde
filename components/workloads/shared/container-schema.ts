import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { ownValue } from "../../core/reader/records";

/** An optional registry and path, a tag, a digest. @see https://github.com/distribution/reference/blob/v0.6.0/regexp.go */
const reference =
  /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** Tags that publishers move. */
const floating = /^(latest|stable|edge|main|master|nightly|dev|devel|current|release)$/i;

/** An image by exact tag or digest: with another image a lab measures something else. */
export function image() {
  const fix =
    'set {path} to an image such as "registry.example.com/team/image:1.2.3", or append @sha256: and its digest';
  return v.pipe(
    s.text(fix),
    s.check((got: string, path) => imageProblems(got, path, fix.replace("{path}", path))),
  );
}

function imageProblems(got: string, path: string, fix: string): Problem[] {
  const parts = reference.exec(got);
  if (!parts) return [{ code: "not-allowed", path, got, why: "Must be an image reference.", fix }];
  const [, tag, digest] = parts;
  if (digest !== undefined || (tag !== undefined && !floating.test(tag))) return [];
  const which = tag === undefined ? "Without a tag, Kubernetes pulls latest, which" : `The tag ${tag}`;
  const why = `${which} changes over time, and a newer CUDA may need a newer driver than the nodes have.`;
  return [{ code: "version", path, got, why, fix }];
}

/** The command of a container, or its arguments. */
export function command() {
  return s.list(s.text(), '["python3", "-m", "http.server"]');
}

/** A TCP port. */
export function port() {
  return s.wholeNumber({ min: 1, max: 65_535 });
}

/** Environment variables. The workload sets those in `own` itself; `keys` names the argument that sets a variable. */
export function environment(own: readonly string[], keys: Readonly<Record<string, string>> = {}) {
  return v.pipe(
    s.mapOf(s.text('set {path} to a string such as "info"'), '{ LOG_LEVEL: "info" }'),
    s.check((given: Readonly<Record<string, string>>, at) =>
      Object.entries(given).flatMap(([name, value]): Problem[] => {
        const path = join(at, name);
        const key = ownValue(keys, name);
        if (key === undefined) return variableProblems(name, value, path, own);
        // The value may be a secret, so the problem does not show it.
        const why = "This variable has its own argument.";
        return [{ code: "conflict", path, got: name, why, fix: `remove ${path}, and set ${key}` }];
      }),
    ),
  );
}

function variableProblems(name: string, got: string, path: string, own: readonly string[]): Problem[] {
  if (own.includes(name)) {
    return [{ code: "conflict", path, got, why: "The workload sets this variable itself.", fix: `remove ${path}` }];
  }
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [];
  const why = "The name of a variable must have letters, digits and underscores, and must not begin with a digit.";
  return [{ code: "not-allowed", path, got, why, fix: "use a name such as LOG_LEVEL" }];
}

/** Names a run of a workload: another name starts a new run. */
export function runName() {
  const fix = 'set {path} to a string such as "after-restore"';
  return v.pipe(
    s.text(fix),
    s.check((got: string, path) => {
      if (got !== "" && got.length <= 200) return [];
      const why = "Must have 1 to 200 characters.";
      return [{ code: "out-of-range", path, got, why, fix: fix.replace("{path}", path) }];
    }),
  );
}
