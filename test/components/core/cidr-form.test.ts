import { expect, test } from "vitest";
import { parseCidr } from "../../../components/core/cidr-form";

test.for([
  ["192.168.0.0/16", "192.168.0.0/16"],
  ["10.0.3.7/22", "10.0.0.0/22"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["10.0.0.0/32", "10.0.0.0/32"],
  ["255.255.255.255/9", "255.128.0.0/9"],
  ["10.0.0.0/33", undefined],
  ["10.0.0.0/08", undefined],
  ["10.0.0.0/8/8", undefined],
  ["10.0.0.0/", undefined],
  ["10.0.0.256/24", undefined],
  ["10.0.0/24", undefined],
  ["010.0.0.0/24", undefined],
  ["0x0a.0.0.0/24", undefined],
  ["10.0.0.0", undefined],
  ["10.0.0.0/255.255.0.0", undefined],
  ["2001:db8::/32", undefined],
  [" 10.0.0.0/24", undefined],
  ["10.0.0.0/24\n", undefined],
  ["", undefined],
  [10, undefined],
  [null, undefined],
] as const)("parseCidr reads %j as %j", ([text, block]) => {
  expect(parseCidr(text)?.toString()).toBe(block);
});
