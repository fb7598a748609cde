import { expect, test } from "vitest";
import { kubernetesSupport } from "../../../components/cost/cost-lines";

test.for([
  ["1.35", "2026-11-21T00:00:00Z", { phase: "standard", until: "2027-03-27" }],
  ["1.35", "2027-03-27T23:59:59Z", { phase: "standard", until: "2027-03-27" }],
  ["1.35", "2027-03-28T00:00:00Z", { phase: "extended", until: "2028-03-27", since: "2027-03-27" }],
  ["1.35", "2028-03-28T00:00:00Z", { phase: "ended", since: "2028-03-27" }],
  ["1.31", "2026-11-26T12:00:00Z", { phase: "extended", until: "2026-11-26", since: "2025-11-26" }],
  ["1.21", "2026-11-21T00:00:00Z", { phase: "ended", since: "2026-03-23" }],
  ["1.99", "2026-11-21T00:00:00Z", { phase: "unlisted" }],
  ["1.35.2", "2026-11-21T00:00:00Z", { phase: "unlisted" }],
] as const)("Kubernetes %s on %s", ([version, now, support]) =>
  expect(kubernetesSupport(version, new Date(now))).toEqual(support),
);
