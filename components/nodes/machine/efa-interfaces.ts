import type { Input } from "@pulumi/pulumi";
import { instanceType, instanceTypeNames, type InstanceType } from "./instance-types";

/** Types whose first network card has no EFA; on these types the other cards have device index 0. */
const primaryWithoutEfa: readonly string[] = ["p6-b300.48xlarge"];

/**
 * The network interfaces of a node with EFA, one per card: the first has EFA and IP (`efa`), and the others only EFA
 * (`efa-only`), which needs no address of the subnet. A launch template with interfaces cannot have security groups, so
 * each interface names them.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
 */
export function efaInterfaces(type: InstanceType, securityGroups: Input<string>[]) {
  const plainPrimary = primaryWithoutEfa.includes(type.name);
  return Array.from({ length: type.networkCards }, (_, card) => ({
    networkCardIndex: card,
    deviceIndex: card === 0 || plainPrimary ? 0 : 1,
    interfaceType: card > 0 ? "efa-only" : plainPrimary ? "interface" : "efa",
    deleteOnTermination: "true",
    securityGroups,
  }));
}

/** The smallest type with EFA of the same family; undefined when no size of it has EFA. */
export function smallestWithEfa(family: string): InstanceType | undefined {
  return instanceTypeNames
    .map((name) => instanceType(name))
    .find((type) => type?.family === family && type.efaInterfaces > 0);
}
