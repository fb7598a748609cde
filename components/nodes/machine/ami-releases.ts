import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";
import { amiReleases, kubernetesVersion } from "../../core/versions";
import type { AmiType, InstanceType } from "./instance-types";

/**
 * Releases by date that AWS marked as abandoned.
 * @see https://github.com/awslabs/amazon-eks-ami/blob/main/CHANGELOG.md
 */
const abandoned: readonly string[] = ["20260128", "20260311"];

/**
 * Releases by date with a fault that users reported, state of 2026-11-26: the number of the issue in
 * awslabs/amazon-eks-ami, which nodes it concerns, and what happens. A node may work all the same.
 */
const faulty: readonly (readonly [date: string, issue: number, nodes: "all" | "GPU", what: string])[] = [
  ["20260409", 2681, "all", "The kubelet stalls within hours, and nodes become NotReady."],
  ["20260423", 2706, "GPU", "The NVIDIA device plugin crashes: libnvsandboxutils fails with ERROR_NVML_LIB_CALL."],
  ["20260505", 2712, "all", "With the SOCI snapshotter, nodes stay NotReady (containerd 2.2.3)."],
  [
    "20260818",
    2790,
    "GPU",
    "GPU containers with a read-only /etc/nvidia do not start (NVIDIA Container Toolkit 1.20.0).",
  ],
];

/** The fault that users reported for a release; undefined if none is known. */
export function reportedFault(release: string) {
  const found = faulty.find(([date]) => date === parseAmiRelease(release)?.date);
  return found && { issue: found[1], isOfGpuNodes: found[2] === "GPU", what: found[3] };
}

/** The release that nodes run: the stated one, else the one pinned for their Kubernetes version. */
export function amiReleaseFor(stated: string | undefined, kubernetesVersion: string): string | undefined {
  return stated ?? amiReleases[kubernetesVersion];
}

/**
 * The parts of a release of the EKS optimized AL2023 AMIs: `1.35` and `20260930` of `1.35.8-20260930`. Undefined when
 * it has another form.
 */
export function parseAmiRelease(release: string) {
  const [, kubernetesVersion, date] = /^(\d+\.\d+)\.\d+-(\d{8})$/.exec(release) ?? [];
  if (kubernetesVersion === undefined || date === undefined) return undefined;
  const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  const day = new Date(iso);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== iso) return undefined;
  return { kubernetesVersion, date };
}

/** The release that messages give as an example. */
export const exampleRelease = String(amiReleases[kubernetesVersion]);
const exampleFix = `set {path} to a release such as "${exampleRelease}"`;

/** An AMI release by its exact name. */
export function amiRelease() {
  return v.pipe(
    s.text(exampleFix),
    s.check((got: string, path) => {
      if (parseAmiRelease(got)) return [];
      const floats = got === "latest" || got === "recommended";
      const why = floats
        ? "Must be an exact release; this name would replace every node at the next update after each AWS release."
        : "Must be a release of the EKS optimized AMIs: a Kubernetes patch version, a dash and a date.";
      return [{ code: "version", path, got, why, fix: exampleFix.replace("{path}", path) }];
    }),
  );
}

/** A release that does not fit the nodes, or none where none is pinned for their Kubernetes version. */
export function amiReleaseConflicts(
  got: string | undefined,
  path: string,
  nodes: { readonly kubernetesVersion: string; readonly amiType: AmiType; readonly type?: InstanceType },
): Problem[] {
  const { kubernetesVersion, amiType, type } = nodes;
  const pinned = amiReleases[kubernetesVersion];
  if (got === undefined) return pinned ? [] : [unpinned(path, kubernetesVersion, amiType)];
  const release = parseAmiRelease(got);
  if (!release) return [];
  const minimum = type?.minimumAmiDate;
  const reasons = [
    release.kubernetesVersion !== kubernetesVersion &&
      `This release is for Kubernetes ${release.kubernetesVersion}, and the nodes run ${kubernetesVersion}.`,
    abandoned.includes(release.date) && "AWS marked this release as abandoned in its changelog; EKS may not offer it.",
    type &&
      minimum !== undefined &&
      release.date < minimum &&
      `The GPU of ${type.name} needs a driver that AMI releases before ${minimum} do not contain.`,
  ].filter((why) => typeof why === "string");
  const fix = `set ${path} to a release such as "${pinned ?? exampleRelease}"`;
  return reasons.map((why) => ({ code: "version", path, got, why, fix }));
}

/** `x86_64` and `nvidia` of `AL2023_x86_64_NVIDIA`. */
function buildOf(amiType: AmiType): readonly [architecture: string, variant: string] {
  return [amiType.includes("_ARM_64_") ? "arm64" : "x86_64", amiType.endsWith("_NVIDIA") ? "nvidia" : "standard"];
}

/**
 * The public SSM parameters of an AMI family. `recommended/release_version` is the newest release.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
 */
export function imageFolder(kubernetes: string, amiType: AmiType): string {
  return `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${buildOf(amiType).join("/")}`;
}

/** The name of the image of one release, which is its folder below {@link imageFolder}. */
export function imageName(release: string, amiType: AmiType): string {
  const { kubernetesVersion: kubernetes, date } = parseAmiRelease(release) ?? { kubernetesVersion: "", date: "" };
  return `amazon-eks-node-al2023-${buildOf(amiType).join("-")}-${kubernetes}-v${date}`;
}

function unpinned(path: string, kubernetes: string, amiType: AmiType): Problem {
  const parameter = `${imageFolder(kubernetes, amiType)}/recommended/release_version`;
  return {
    code: "missing",
    path,
    got: undefined,
    why: `No AMI release is pinned for Kubernetes ${kubernetes}.`,
    fix: `set ${path} to the output of \`aws ssm get-parameter --name ${parameter} --query Parameter.Value\``,
  };
}
