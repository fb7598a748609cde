import { zoneIdsWithoutEks } from "../components/network/vpc/zones";
import { allPages } from "../sessions/clients";
import { isMissing, type Clients } from "./clients";

/** The zones that EKS supports, without local and wavelength zones, which require an opt-in. */
export async function readZones(clients: Clients): Promise<string[]> {
  const { AvailabilityZones: zones = [] } = await clients.ask("ec2", "ec2:DescribeAvailabilityZones", (ec2) =>
    ec2.describeAvailabilityZones({
      Filters: [
        { Name: "state", Values: ["available"] },
        { Name: "opt-in-status", Values: ["opt-in-not-required"] },
      ],
    }),
  );
  return zones
    .filter(({ ZoneId: id = "" }) => !zoneIdsWithoutEks.includes(id))
    .flatMap(({ ZoneName: name }) => name ?? [])
    .sort();
}

/** The zones that offer each instance type. */
export async function readOfferings(
  clients: Clients,
  types: readonly string[],
): Promise<Readonly<Record<string, string[]>>> {
  const offerings = await allPages(async (NextToken) => {
    const page = await clients.ask("ec2", "ec2:DescribeInstanceTypeOfferings", (ec2) =>
      ec2.describeInstanceTypeOfferings({
        LocationType: "availability-zone",
        Filters: [{ Name: "instance-type", Values: [...new Set(types)] }],
        ...(NextToken !== undefined && { NextToken }),
      }),
    );
    return { items: page.InstanceTypeOfferings, next: page.NextToken };
  });
  const found: Record<string, string[]> = Object.fromEntries(types.map((type) => [type, []]));
  for (const { InstanceType: type = "", Location: zone = "" } of offerings) found[type]?.push(zone);
  return found;
}

/** A quota of EC2, in vCPUs: the applied one, or AWS's default for an account that never changed it. */
export async function readQuota(clients: Clients, quotaCode: string): Promise<number | undefined> {
  const asked = { ServiceCode: "ec2", QuotaCode: quotaCode };
  try {
    const { Quota: quota } = await clients.ask("quotas", "servicequotas:GetServiceQuota", (quotas) =>
      quotas.getServiceQuota(asked),
    );
    return quota?.Value;
  } catch (error) {
    if (!isMissing(error)) throw error;
    const { Quota: quota } = await clients.ask("quotas", "servicequotas:GetAWSDefaultServiceQuota", (quotas) =>
      quotas.getAWSDefaultServiceQuota(asked),
    );
    return quota?.Value;
  }
}

/** A subnet with its zone. */
export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly freeAddresses: number;
}

export async function readSubnets(clients: Clients, ids: readonly string[]): Promise<Subnet[]> {
  const { Subnets: subnets = [] } = await clients.ask("ec2", "ec2:DescribeSubnets", (ec2) =>
    ec2.describeSubnets({ SubnetIds: [...ids] }),
  );
  return subnets.flatMap(({ SubnetId: id = "", AvailabilityZone: zone = "", AvailableIpAddressCount: free }) =>
    free === undefined ? [] : [{ id, zone, freeAddresses: free }],
  );
}
