/** Last days of the support that Amazon EKS gives a Kubernetes minor version. */
interface SupportEnds {
  readonly standard: string;
  readonly extended: string;
}

/**
 * By Kubernetes minor, state of 2026-02-14.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
 * @see https://endoflife.date/amazon-eks
 */
const supportEnds: Readonly<Record<string, SupportEnds>> = {
  "1.30": { standard: "2025-07-23", extended: "2026-07-23" },
  "1.31": { standard: "2025-11-26", extended: "2026-11-26" },
  "1.32": { standard: "2026-03-23", extended: "2027-03-23" },
  "1.33": { standard: "2026-07-29", extended: "2027-07-29" },
  "1.34": { standard: "2026-12-02", extended: "2027-12-02" },
  "1.35": { standard: "2027-03-27", extended: "2028-03-27" },
};

/** `ended` has also left extended support, `unlisted` is newer than the calendar or no Kubernetes minor at all. */
export type KubernetesSupport =
  | { readonly phase: "standard"; readonly until: string }
  | { readonly phase: "extended"; readonly until: string; readonly since: string }
  | { readonly phase: "ended"; readonly since: string }
  | { readonly phase: "unlisted" };

/** Says which support EKS gives a Kubernetes minor on a day. The days themselves, in UTC, still belong to the phase they end. */
export function kubernetesSupport(kubernetesVersion: string, now: Date): KubernetesSupport {
  const day = now.toISOString().slice(0, 10);
  const ends = supportEnds[kubernetesVersion] ?? endsBeforeTheCalendar(kubernetesVersion);
  if (!ends) return { phase: "unlisted" };
  if (day <= ends.standard) return { phase: "standard", until: ends.standard };
  if (day <= ends.extended) return { phase: "extended", until: ends.extended, since: ends.standard };
  return { phase: "ended", since: ends.extended };
}

/** 1.29 was the last minor before the calendar; what is older ended no later than it did. */
function endsBeforeTheCalendar(kubernetesVersion: string): SupportEnds | undefined {
  const minor = /^1\.(\d+)$/.exec(kubernetesVersion)?.[1];
  return minor !== undefined && Number(minor) < 30 ? { standard: "2025-03-23", extended: "2026-03-23" } : undefined;
}
