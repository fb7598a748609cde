import { expect, test } from "vitest";
import { customResourceProblems } from "./custom-resources";

const custom = (kind: string, spec: object) => ({
  apiVersion: "monitoring.coreos.com/v1",
  kind,
  metadata: { name: "a", namespace: "monitoring", labels: { release: "a" } },
  spec,
});
const selector = { matchLabels: { app: "a" } };
const group = { name: "a", rules: [{ alert: "A", expr: "up", for: "1h30m", labels: { severity: "page" } }] };

test.for([
  custom("ServiceMonitor", { selector, endpoints: [{ port: "metrics", interval: "30s", honorLabels: true }] }),
  custom("PrometheusRule", { groups: [group, { ...group, name: "b" }] }),
])("$kind", (manifest) => expect(customResourceProblems(manifest)).toEqual([]));

const pattern = (field: string) => expect.stringMatching(`^spec\\.${field}: must match pattern`) as string;

test.for<[string, object, string[]]>([
  ["ServiceMonitor", {}, ["spec.selector: is missing", "spec.endpoints: is missing"]],
  [
    "ServiceMonitor",
    { selector: { app: "a" }, jobLabels: "a", endpoints: [{ prt: "metrics" }] },
    [
      "spec.jobLabels: there is no such key",
      "spec.selector.app: there is no such key",
      "spec.endpoints[0].port: is missing",
      "spec.endpoints[0].prt: there is no such key",
    ],
  ],
  [
    "ServiceMonitor",
    { selector, endpoints: [{ port: 9100, interval: "30 s", honorLabels: "true" }] },
    [
      "spec.endpoints[0].port: must be string",
      pattern("endpoints\\[0\\]\\.interval"),
      "spec.endpoints[0].honorLabels: must be boolean",
    ],
  ],
  ["PrometheusRule", { groups: [group, group] }, ["spec.groups: a name is there twice"]],
  [
    "PrometheusRule",
    { groups: [{ rules: [{ alert: "A", expr: "", for: "2 m" }] }] },
    [
      "spec.groups[0].name: is missing",
      "spec.groups[0].rules[0].expr: must NOT have fewer than 1 characters",
      pattern("groups\\[0\\]\\.rules\\[0\\]\\.for"),
    ],
  ],
  ["PodMonitor", {}, ["kind: there is no table of the fields of monitoring.coreos.com/v1 PodMonitor"]],
])("%s %j", ([kind, spec, problems]) => expect(customResourceProblems(custom(kind, spec))).toEqual(problems));

test("nothing at all", () => {
  expect(customResourceProblems(undefined)).toEqual(["kind: there is no table of the fields of undefined undefined"]);
});
