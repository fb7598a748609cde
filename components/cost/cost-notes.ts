/** The remarks on cost lines. */
export const costNotes = {
  noPrice: "no price available",
  freeTier: (limit: string) => `free up to ${limit} a month`,
  noPriceIn: (region: string) => `no price available in ${region}`,
  notOfferedIn: (region: string) => `not offered in ${region}`,
  unknownQuantity: "the quantity is known only after the update",
  unknownInstanceType: "the plan does not contain the instance type",
  unknownVolumeSize: "the plan does not contain the volume size",
  remoteComponent: "its provider creates its resources during the update",
  unseen: "the plan does not see what it creates",
  defaultVersion: "Kubernetes version not set; EKS uses its default",
  unlistedVersion: (version: string) => `Kubernetes ${version} is not in the EKS calendar; priced as standard support`,
  supportEnded: (version: string, phase: "standard" | "extended", since: string) =>
    `Kubernetes ${version} left ${phase} support on ${since}`,
  supportEnds: (version: string, day: string) => `Kubernetes ${version} leaves standard support on ${day}`,
  laterSurcharge: (usd: number | undefined) =>
    usd === undefined
      ? "extended support has a surcharge"
      : `extended support then adds USD ${usd.toFixed(2)} per hour`,
  automaticUpgrade: "EKS upgrades the cluster",
  spot: "at most the on-demand price",
  autoModeFee: "7.8% of the on-demand price",
  capacityBlock: "paid upfront when you buy the capacity block",
  schedule: (name: string, nodes: number | undefined) =>
    `schedule ${name} starts ${nodes === undefined ? "nodes" : `${nodes} ${nodes === 1 ? "node" : "nodes"}`}; how long they run is not known`,
  reservation: "a reservation is billed whether it is used or not",
  instanceChoice: (types: readonly string[]) =>
    `EC2 chooses from ${types.join(", ")}; the line is for the most expensive type`,
  assumedGp3: "volume type not set; priced as gp3",
  upperBound: "an upper bound: IOPS above 32,000 cost less",
  loadBalancerTraffic: "traffic is billed separately",
  logStorage: "log storage is billed separately",
} as const;

/** Whether a note is about the end of EKS's support for a Kubernetes version, which every report shows. */
export function tellsOfSupport(note: string): boolean {
  return /(?:left|leaves) \w+ support on/.test(note);
}
