import { countOf } from "../../components/core/text";
import type { LeaseFacts, LeaseTime } from "../facts/leases";
import type { Fact } from "./gpu-facts";

/** When a lease ends GPU nodes, by the names of its settings, and what it sets to 0. */
export function leaseRows({ times, hours, nodeGroups, alarmTopics }: LeaseFacts): Fact[] {
  const groups = nodeGroups.join(", ") || "node groups known after the update";
  return [
    ["nightly", timesText(times, "nightly", "none")],
    ["hours", hours === undefined ? "none" : `${countOf(hours, "hour")} after the last gpu up`],
    ["expiresAt", timesText(times, "expiresAt", "none: the lease has no end")],
    ["sets to 0", `desired and min of ${groups}`],
    ["failures", `an alarm in CloudWatch, ${messagesText(alarmTopics)}`],
  ];
}

function messagesText(topics: number | undefined): string {
  if (topics === undefined) return "with messages known after the update";
  return topics === 0
    ? "without a message to you: alarmTopicArns is empty"
    : `with ${countOf(topics, "message")} by SNS`;
}

function timesText(times: readonly LeaseTime[], by: LeaseTime["by"], none: string): string {
  const texts = times.filter((time) => time.by === by).map(({ text = "known after the update" }) => text);
  return texts.join(", and ") || none;
}
