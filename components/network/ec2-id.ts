import { s } from "../core/schema";

/** An id that EC2 gave to a resource: a prefix and 17 hexadecimal digits, or 8 before 2018. */
export function ec2Id(prefix: "vpc" | "subnet" | "sg") {
  const form = `an EC2 id: ${prefix}- and 17 hexadecimal digits (8 before 2018)`;
  const fix = `set {path} to an id such as ${prefix}-0123456789abcdef0`;
  return s.input(s.matching(new RegExp(`^${prefix}-([0-9a-f]{8}|[0-9a-f]{17})$`), form, fix));
}
