import { expect, test } from "vitest";
import { providerReason } from "../../../components/core/provider-reason";

const call = "invoking aws:ec2/getVpc:getVpc:";

test.for([
  ["a plain message", "no such profile", "no such profile"],
  ["only the first line of another message", "no such profile\nstack", "no such profile"],
  [
    "one listed error",
    `${call} 1 error occurred:\n\t* reading EC2 VPC: couldn't find resource\n\n`,
    `${call} reading EC2 VPC: couldn't find resource`,
  ],
  ["two listed errors", `${call} 2 errors occurred:\n\t* one\n\t* two\n`, `${call} one; two`],
  ["a title without a list", `${call} 1 error occurred:`, `${call} 1 error occurred:`],
  ["no text", "", ""],
] as const)("the reason of %s", ([, message, reason]) => {
  expect(providerReason(new Error(message))).toBe(reason);
  expect(providerReason(message)).toBe(reason);
});
