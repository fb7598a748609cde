/** How long Amazon EKS supports a Kubernetes minor: the last days, in UTC. */
export interface EksSupport {
  readonly standardSupportEnds: string;
  readonly extendedSupportEnds: string;
}

/** The day on which the calendar was read. */
export const calendarDate = "2026-11-21";

/**
 * By Kubernetes minor, oldest first: the only table of the versions of EKS. 1.37 is not in it, because no AMI, add-on or
 * chart is known to work with it.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
 * @see https://endoflife.date/amazon-eks
 */
export const eksCalendar: Readonly<Record<string, EksSupport>> = {
  "1.30": { standardSupportEnds: "2025-07-23", extendedSupportEnds: "2026-07-23" },
  "1.31": { standardSupportEnds: "2025-11-26", extendedSupportEnds: "2026-11-26" },
  "1.32": { standardSupportEnds: "2026-03-23", extendedSupportEnds: "2027-03-23" },
  "1.33": { standardSupportEnds: "2026-07-29", extendedSupportEnds: "2027-07-29" },
  "1.34": { standardSupportEnds: "2026-12-02", extendedSupportEnds: "2027-12-02" },
  "1.35": { standardSupportEnds: "2027-03-27", extendedSupportEnds: "2028-03-27" },
  "1.36": { standardSupportEnds: "2027-08-02", extendedSupportEnds: "2028-08-02" },
};
