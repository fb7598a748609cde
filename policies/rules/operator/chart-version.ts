import type { Reading } from "../../../components/core/reader/reading";
import type { Fault } from "../../engine/rule";
import { any, type Truth } from "../../../components/core/reader/truth";

/**
 * Three numbers, and a pre-release and a build where there is one. Whatever else Helm takes it resolves anew each time.
 */
const exact = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Whether a chart's version is missing, or not exact, or not allowed. An empty list allows every exact version. */
export function isUnpinned(version: Reading<string>, allowed: readonly string[]): Truth {
  return any(
    version.isAbsent,
    version.isMalformed,
    version.is((value) => !exact.test(value) || !isAllowed(value, allowed)),
  );
}

/** What is wrong with a version that {@link isUnpinned}; `resolved` if Helm may have chosen it, not the program. */
export function pinFault(version: Reading<string>, allowed: readonly string[], resolved = false): Fault {
  const orElse = isExact(version) ? `, or add this version to "allowed" in the policy configuration` : "";
  const fix = `set ${version.path} to ${pin(allowed)}${orElse}`;
  return { path: version.path, got: version.shown, why: whyUnpinned(version, resolved), fix };
}

/** What is wrong where development versions are welcome. */
export function develFault(path: string, allowed: readonly string[]): Fault {
  const why = "Helm may then install a development version, and another one each time.";
  return { path, got: "true", why, fix: `remove ${path}, and set the version to ${pin(allowed)}` };
}

/** What is wrong with a version in the stack's configuration. */
export function configurationFault(key: string, version: Reading<string>, allowed: readonly string[]): Fault {
  return {
    ...pinFault(version, allowed),
    path: key,
    fix: `pulumi config set --path '${key}' ${allowed[0] ?? "<version>"}`,
  };
}

function isExact(version: Reading<string>): boolean {
  return version.is((value) => exact.test(value)) === true;
}

function isAllowed(version: string, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.some((one) => withoutV(one) === withoutV(version));
}

function withoutV(version: string): string {
  return version.replace(/^v/, "");
}

function whyUnpinned(version: Reading<string>, resolved: boolean): string {
  if (version.isAbsent === true || version.value?.trim() === "") {
    return "Helm then installs whatever its repository offers that day.";
  }
  if (!isExact(version)) return "It is not one exact version, so Helm chooses one anew at each install.";
  const origin = resolved ? " It may be what Helm made of a range, or of no version at all." : "";
  return `It is not among the allowed versions.${origin}`;
}

function pin(allowed: readonly string[]): string {
  return allowed.length === 0 ? "one exact version such as v26.3.1" : allowed.join(" or ");
}
