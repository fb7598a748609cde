import * as v from "valibot";
import { calendarDate, eksCalendar } from "../core/eks-calendar";
import type { Problem } from "../core/problems";
import { s } from "../core/schema";
import { kubernetesVersion } from "../core/versions";

/**
 * The minor versions that this library supports: those in standard support when the calendar was read. Other versions
 * than those of `amiReleases` are not pinned: set the AMI release, the add-on versions and the autoscaler's image.
 */
export const supportedKubernetesVersions: readonly string[] = Object.entries(eksCalendar)
  .filter(([, { standardSupportEnds }]) => standardSupportEnds >= calendarDate)
  .map(([minor]) => minor);

const choices = `set {path} to one of ${supportedKubernetesVersions.map((minor) => `"${minor}"`).join(", ")}`;

/** A minor version of Kubernetes that EKS and this library support, such as `1.35`. */
export function supportedKubernetesVersion() {
  return v.pipe(
    v.string(({ input }) => (typeof input === "number" ? unquoted(input) : s.explain("Must be a string.", choices))),
    s.check((got: string, path): Problem[] => {
      if (supportedKubernetesVersions.includes(got)) return [];
      return [{ code: "version", path, got, why: whyNot(got), fix: choices.replace("{path}", path) }];
    }),
  );
}

function unquoted(got: number): string {
  const meant = supportedKubernetesVersions.includes(String(got)) ? String(got) : kubernetesVersion;
  const why = "Must be a string: without quotes YAML reads it as a number, and 1.30 becomes 1.3.";
  return s.explain(why, `put it in quotes, as in {path}: "${meant}"`);
}

function whyNot(got: string): string {
  const minor = /^1\.(\d+)$/.exec(got)?.[1];
  if (minor === undefined) {
    return `Must be a minor version of Kubernetes such as ${kubernetesVersion}: EKS chooses the patch.`;
  }
  return minorOf(got) < minorOf(supportedKubernetesVersions[0])
    ? "EKS standard support for this version has ended. Extended support costs 0.50 USD more per hour, and this library does not support it."
    : "No AMI, add-on or chart is known to work with this version.";
}

/** `1.35` is 35; NaN for anything else than a version of Kubernetes 1. */
export function minorOf(version: string | undefined): number {
  return Number(/^v?1\.(\d{1,3})(\.|$)/.exec(version ?? "")?.[1] ?? NaN);
}
