import * as pulumi from "@pulumi/pulumi";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import {
  dnsLabel,
  labels,
  namespace,
  nodeName,
  quantity,
  serviceName,
} from "../../../components/core/kubernetes-names";
import { problemsIn, type Schema } from "../../../components/core/schema";
import { testProblems } from "../../support/problems";

const schemas = {
  dnsLabel: dnsLabel(),
  serviceName: serviceName({ longest: 50 }),
  namespace: namespace(),
  nodeName: nodeName(),
  cpu: quantity("cpu"),
  memory: quantity("memory"),
} satisfies Record<string, Schema>;

const long = "a".repeat(62);

test.for([
  ["dnsLabel", ["a", "gpu-probe", "0-a", "a".repeat(63)]],
  ["serviceName", ["gpu-1", "a".repeat(50)]],
  ["namespace", ["lab", pulumi.output("gpu_lab")]],
  ["nodeName", ["node-1", "ip-192-168-1-2.ap-northeast-2.compute.internal", `${"a.".repeat(126)}a`]],
  ["cpu", ["1", "1.5", "500m", "0.25"]],
  ["memory", ["2Gi", "800M", "512Mi"]],
] as const)("right: %s", ([name, given]) => {
  expect(given.flatMap((one) => problemsIn(schemas[name], one, name))).toEqual([]);
});

describe("dnsLabel", () => {
  testProblems(
    (given) => problemsIn(schemas.dnsLabel, given, "dnsLabel"),
    [
      ["", "not-allowed dnsLabel"],
      ["-a", "not-allowed dnsLabel"],
      ["a-", "not-allowed dnsLabel"],
      ["a.b", "not-allowed dnsLabel"],
      ["a_b", "not-allowed dnsLabel"],
      ["Gpu", "not-allowed dnsLabel"],
      ["a\n", "not-allowed dnsLabel"],
      ["a".repeat(64), "out-of-range dnsLabel"],
      [5, "wrong-type dnsLabel"],
      [undefined, "missing dnsLabel"],
      [pulumi.output("a"), "wrong-type dnsLabel"],
    ],
  );
});

describe("serviceName", () => {
  testProblems(
    (given) => problemsIn(schemas.serviceName, given, "serviceName"),
    [
      ["1-gpu", "not-allowed serviceName"],
      ["a".repeat(51), "out-of-range serviceName"],
      ["", "not-allowed serviceName"],
    ],
  );
});

describe("namespace", () => {
  testProblems((given) => problemsIn(schemas.namespace, given, "namespace"), [["gpu_lab", "not-allowed namespace"]]);
});

describe("nodeName", () => {
  testProblems(
    (given) => problemsIn(schemas.nodeName, given, "nodeName"),
    [
      ["", "not-allowed nodeName"],
      ["-", "not-allowed nodeName"],
      ["Node 1", "not-allowed nodeName"],
      ["a..b", "not-allowed nodeName"],
      [`${"a.".repeat(127)}aa`, "out-of-range nodeName"],
    ],
  );
});

describe("cpu", () => {
  testProblems(
    (given) => problemsIn(schemas.cpu, given, "cpu"),
    [
      ["0", "not-allowed cpu"],
      ["0m", "not-allowed cpu"],
      [1, "wrong-type cpu"],
    ],
  );
});

describe("memory", () => {
  testProblems(
    (given) => problemsIn(schemas.memory, given, "memory"),
    [
      ["512", "not-allowed memory"],
      ["0Gi", "not-allowed memory"],
      ["1.5Gi", "not-allowed memory"],
      [6, "wrong-type memory"],
    ],
  );
});

describe("labels", () => {
  const schema = labels('{ release: "monitoring" }');

  testProblems(
    (given) => problemsIn(schema, given, "labels"),
    [
      [{ "a b": "c", "": "c" }, ['not-allowed labels["a b"]', 'not-allowed labels[""]']],
      [{ d: 1, e: "a b" }, ["wrong-type labels.d", "not-allowed labels.e"]],
      [[], "wrong-type labels"],
      [pulumi.output({}), "wrong-type labels"],
    ],
  );

  test("right", () => expect(problemsIn(schema, { "example.com/team": "research", tier: "" })).toEqual([]));
});

test("in a pipe the second form is checked once the first is right", () => {
  expect(problemsIn(v.pipe(nodeName(), dnsLabel()), `.${long}`, "node")).toHaveLength(1);
});
