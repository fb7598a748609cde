import type { World } from "./record";

/** Believable answers of AWS for one region: what a plan knows without asking anybody. */
export function offlineWorld(region: string): World {
  const zones = ["a", "b", "c"].map((letter) => `${region}${letter}`);
  const answers: Record<string, (args: Record<string, unknown>) => Record<string, unknown>> = {
    "aws:index/getAvailabilityZones:getAvailabilityZones": () => ({ names: zones, zoneIds: zones, id: region }),
    "aws:index/getPartition:getPartition": () => ({ partition: "aws", dnsSuffix: "amazonaws.com", id: "aws" }),
    "aws:index/getRegion:getRegion": () => ({ region, name: region, id: region }),
    "aws:index/getCallerIdentity:getCallerIdentity": () => ({ accountId: "123456789012" }),
  };
  return {
    outputsOf: () => ({}),
    call(token, args) {
      const answer = answers[token];
      if (!answer) throw new Error(`the plan has no answer for the provider function ${token}`);
      return answer(args);
    },
  };
}
