import { isIPv4 } from "node:net";
import { Netmask } from "netmask";

/**
 * Reads an IPv4 block such as `10.0.0.0/16`, also one whose address lies inside the block. The form is checked here,
 * because netmask also reads octal, hexadecimal and shortened addresses.
 */
export function parseCidr(got: unknown): Netmask | undefined {
  if (typeof got !== "string") return undefined;
  const [, address = ""] = /^([\d.]+)\/(?:3[0-2]|[12]?\d)$/.exec(got) ?? [];
  return isIPv4(address) ? new Netmask(got) : undefined;
}
