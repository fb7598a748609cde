import { pricedSizes, type ServiceItem, type VolumeItem } from "../../components/cost/prices";
import { instanceTypeNames } from "../../components/nodes/machine/instance-types";

/** Which rows of which price list have the price of an item. */
export interface Product {
  /** The offer code of the price list. */
  readonly offer: string;
  /** The usage type, without the prefix of the region. */
  readonly usage: string;
  /** Columns that must have this value. */
  readonly where?: Readonly<Record<string, string>>;
}

const loadBalancer = (operation: string): Product => ({
  offer: "AWSELB",
  usage: "LoadBalancerUsage",
  where: { operation },
});

const volume = (usage: string): Product => ({ offer: "AmazonEC2", usage: `EBS:Volume${usage}` });

/** Of gp3 the size alone is in every region. */
const volumes: Readonly<Record<Exclude<VolumeItem, "ebs-gp3-storage">, Product>> = {
  "ebs-gp2-storage": volume("Usage.gp2"),
  "ebs-io1-storage": volume("Usage.piops"),
  "ebs-io2-storage": volume("Usage.io2"),
  "ebs-st1-storage": volume("Usage.st1"),
  "ebs-sc1-storage": volume("Usage.sc1"),
  "ebs-gp3-iops": volume("P-IOPS.gp3"),
  "ebs-io1-iops": volume("P-IOPS.piops"),
  "ebs-io2-iops": volume("P-IOPS.io2"),
  "ebs-gp3-throughput": volume("P-Throughput.gp3"),
};

const services: Readonly<Record<Exclude<ServiceItem, keyof typeof volumes>, Product>> = {
  "eks-control-plane-standard": { offer: "AmazonEKS", usage: "AmazonEKS-Hours:perCluster" },
  "eks-extended-support": { offer: "AmazonEKS", usage: "AmazonEKS-Hours:extendedSupport" },
  "nat-gateway": { offer: "AmazonEC2", usage: "NatGateway-Hours" },
  "nat-gateway-data": { offer: "AmazonEC2", usage: "NatGateway-Bytes" },
  "ebs-gp3-storage": volume("Usage.gp3"),
  "public-ipv4": { offer: "AmazonVPC", usage: "PublicIPv4:InUseAddress" },
  "kms-key": { offer: "awskms", usage: "KMS-Keys" },
  "cloudwatch-logs-ingest-standard": { offer: "AmazonCloudWatch", usage: "DataProcessing-Bytes" },
  "cloudwatch-alarm": { offer: "AmazonCloudWatch", usage: "CW:AlarmMonitorUsage" },
  "vpc-interface-endpoint": { offer: "AmazonVPC", usage: "VpcEndpoint-Hours" },
  "vpc-interface-endpoint-data": { offer: "AmazonVPC", usage: "VpcEndpoint-Bytes" },
  "load-balancer-application": loadBalancer("LoadBalancing:Application"),
  "load-balancer-network": loadBalancer("LoadBalancing:Network"),
  "load-balancer-gateway": loadBalancer("LoadBalancing:Gateway"),
  "load-balancer-classic": loadBalancer("LoadBalancing"),
};

const instance = (type: string): Product => ({
  offer: "AmazonEC2",
  usage: `BoxUsage:${type}`,
  where: {
    Tenancy: "Shared",
    "Operating System": "Linux",
    "Pre Installed S/W": "NA",
    CapacityStatus: "Used",
    MarketOption: "OnDemand",
    operation: "RunInstances",
  },
});

/** The items that every region must have a price for. */
export const serviceItems: readonly string[] = Object.keys(services);

/** Every item that is not an instance type. */
export const items: readonly string[] = [...serviceItems, ...Object.keys(volumes)];

/** By item of the price table. */
export const products: ReadonlyMap<string, Product> = new Map([
  ...Object.entries({ ...services, ...volumes }),
  ...[...pricedSizes].map(([family, size]) => [`${family}.*`, instance(`${family}.${size}`)] as const),
  ...instanceTypeNames.map((type) => [type, instance(type)] as const),
]);

/** The price lists that are read. */
export const offers: readonly string[] = [...new Set([...products.values()].map(({ offer }) => offer))];

/** The items of a price list, by their usage type. */
export function itemsByUsage(offer: string): ReadonlyMap<string, readonly (readonly [string, Product])[]> {
  const byUsage = new Map<string, (readonly [string, Product])[]>();
  for (const entry of products) {
    const [, product] = entry;
    if (product.offer === offer) byUsage.set(product.usage, [...(byUsage.get(product.usage) ?? []), entry]);
  }
  return byUsage;
}
