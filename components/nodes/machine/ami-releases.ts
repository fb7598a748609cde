import { join } from "../../core/checks";
import type { Problem } from "../../core/problems";
import { amiReleases } from "../../core/versions";
import type { AmiType, InstanceType } from "./instance-types";

/** The parts of a release of the EKS optimised AL2023 AMIs such as `1.35.8-20260930`. */
export interface AmiRelease {
  /** `1.35` */
  readonly kubernetesVersion: string;
  /** `20260930` */
  readonly date: string;
}

/**
 * Releases by date that AWS marked as abandoned.
 * @see https://github.com/awslabs/amazon-eks-ami/blob/main/CHANGELOG.md
 */
const abandoned: readonly string[] = ["20260128", "20260311"];

/** The release that nodes run: the stated one, else the one pinned for their Kubernetes version. */
export function amiReleaseFor(stated: string | undefined, kubernetesVersion: string): string | undefined {
  return stated ?? amiReleases[kubernetesVersion];
}

/** Takes a release apart; undefined when it has another form. */
export function parseAmiRelease(release: string): AmiRelease | undefined {
  const [, kubernetesVersion, date] = /^(\d+\.\d+)\.\d+-(\d{8})$/.exec(release) ?? [];
  if (kubernetesVersion === undefined || date === undefined) return undefined;
  const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  const day = new Date(iso);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== iso) return undefined;
  return { kubernetesVersion, date };
}

/** Problems of `releaseVersion` for nodes of a Kubernetes version, an AMI type and, where it is known, an instance type. */
export function amiReleaseProblems(
  got: unknown,
  at: string,
  nodes: { kubernetesVersion: unknown; amiType: AmiType; type?: InstanceType | undefined },
): Problem[] {
  const path = join(at, "releaseVersion");
  const kubernetes = typeof nodes.kubernetesVersion === "string" ? nodes.kubernetesVersion : undefined;
  const pinned = kubernetes === undefined ? undefined : amiReleases[kubernetes];
  if (got === undefined) return kubernetes === undefined || pinned ? [] : [unpinned(path, kubernetes, nodes.amiType)];
  const fix = `set ${path} to a release such as "${pinned ?? "1.35.8-20260930"}"`;
  const release = typeof got === "string" ? parseAmiRelease(got) : undefined;
  if (!release) return [malformed(path, got, fix)];

  const refused = (code: Problem["code"], why: string): Problem => ({ code, path, got, why, fix });
  const problems: Problem[] = [];
  if (kubernetes !== undefined && release.kubernetesVersion !== kubernetes) {
    const why = `It is a release for Kubernetes ${release.kubernetesVersion}, and the nodes run ${kubernetes}.`;
    problems.push(refused("version", why));
  }
  if (abandoned.includes(release.date)) {
    problems.push(
      refused("version", "AWS abandoned this release: its changelog marks it so, and EKS may not offer it."),
    );
  }
  const minimum = nodes.type?.minimumAmiDate;
  if (nodes.type && minimum !== undefined && release.date < minimum) {
    const why = `The GPU of ${nodes.type.name} needs a driver that AMI releases carry from ${minimum} on.`;
    problems.push(refused("version", why));
  }
  return problems;
}

function malformed(path: string, got: unknown, fix: string): Problem {
  if (got === "latest" || got === "recommended") {
    const why = "It floats: with each release of AWS, the next update would replace every node.";
    return { code: "version", path, got, why, fix };
  }
  const why = "It must be a release of the EKS optimised AMIs: Kubernetes version with its patch, a dash and a date.";
  return { code: typeof got === "string" ? "version" : "wrong-type", path, got, why, fix };
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html */
function unpinned(path: string, kubernetes: string, amiType: AmiType): Problem {
  const build = `${amiType.includes("_ARM_64_") ? "arm64" : "x86_64"}/${amiType.endsWith("_NVIDIA") ? "nvidia" : "standard"}`;
  const parameter = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${build}/recommended/release_version`;
  return {
    code: "missing",
    path,
    got: undefined,
    why: `No AMI release is pinned for Kubernetes ${kubernetes}.`,
    fix: `set it to what \`aws ssm get-parameter --name ${parameter} --query Parameter.Value\` prints`,
  };
}
