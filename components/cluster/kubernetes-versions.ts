import type { Problem } from "../core/problems";
import { kubernetesVersion } from "../core/versions";

/**
 * The minors this library has compatibility facts for, state of 2026-11-21. Versions are pinned for 1.35 alone: with
 * another minor the AMI release, the add-ons and the autoscaler's image must be stated. 1.33 and older are left out,
 * because their standard support has ended; 1.37 is left out, because no AMI, add-on or chart was seen to work with it.
 */
export const supportedKubernetesVersions: readonly string[] = ["1.34", "1.35", "1.36"];

/** A Kubernetes minor that EKS and this library support, as a text such as `1.35`. */
export function kubernetesVersionProblems(path: string, got: unknown): Problem[] {
  if (typeof got === "number") {
    const why = "Without quotes YAML reads it as a number: 1.30 would become 1.3.";
    const meant = supportedKubernetesVersions.includes(String(got)) ? String(got) : kubernetesVersion;
    return [{ code: "wrong-type", path, got, why, fix: `put it in quotes, as in ${path}: "${meant}"` }];
  }
  const choices = `set ${path} to one of ${supportedKubernetesVersions.map((minor) => `"${minor}"`).join(", ")}`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix: choices }];
  if (supportedKubernetesVersions.includes(got)) return [];
  return [{ code: "version", path, got, why: whyNot(got), fix: choices }];
}

function whyNot(got: string): string {
  const minor = /^1\.(\d+)$/.exec(got)?.[1];
  if (minor === undefined) return "It must be a Kubernetes minor such as 1.35: EKS chooses the patch.";
  return minorOf(got) < minorOf(supportedKubernetesVersions[0])
    ? "Its standard support at EKS has ended: extended support costs 0.50 USD an hour more, and this library does not use it."
    : "This library has no AMI, add-on or chart that was seen to work with it.";
}

/** `1.35` is 35; NaN for what is no minor. */
export function minorOf(version: string | undefined): number {
  return Number(/^v?1\.(\d+)(\.|$)/.exec(version ?? "")?.[1] ?? NaN);
}
