import { eksCalendar, type EksSupport } from "../core/eks-calendar";

/** `ended`: extended support has ended, too. `unlisted`: newer than the calendar, or not a Kubernetes minor version. */
export type KubernetesSupport =
  | { readonly phase: "standard"; readonly until: string }
  | { readonly phase: "extended"; readonly until: string; readonly since: string }
  | { readonly phase: "ended"; readonly since: string }
  | { readonly phase: "unlisted" };

/** The EKS support phase of a Kubernetes minor version on a date. The last day (UTC) belongs to its phase. */
export function kubernetesSupport(kubernetesVersion: string, now: Date): KubernetesSupport {
  const day = now.toISOString().slice(0, 10);
  const ends = eksCalendar[kubernetesVersion] ?? endsBeforeTheCalendar(kubernetesVersion);
  if (!ends) return { phase: "unlisted" };
  if (day <= ends.standardSupportEnds) return { phase: "standard", until: ends.standardSupportEnds };
  if (day <= ends.extendedSupportEnds)
    return { phase: "extended", until: ends.extendedSupportEnds, since: ends.standardSupportEnds };
  return { phase: "ended", since: ends.extendedSupportEnds };
}

/** 1.29 was the last minor version before the calendar; older ones ended no later. */
function endsBeforeTheCalendar(kubernetesVersion: string): EksSupport | undefined {
  const minor = /^1\.(\d+)$/.exec(kubernetesVersion)?.[1];
  return minor !== undefined && Number(minor) < 30
    ? { standardSupportEnds: "2025-03-23", extendedSupportEnds: "2026-03-23" }
    : undefined;
}
