import { output } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { chartRepository, chartVersion, installTimeout } from "../../../components/core/helm-chart";
import { problemsIn, type Schema } from "../../../components/core/schema";

const chart = { name: "chart", version: "1.2.3", repository: "https://charts.example.com" };
const version = chartVersion(chart);
const https = chartRepository(chart);
const oci = chartRepository(chart, { oci: true });

test.for<[Schema, unknown]>([
  [version, "1.2.3"],
  [version, "v1.2.3-rc.1"],
  [https, "https://charts.example.com/a"],
  [oci, "https://charts.example.com"],
  [oci, "oci://registry.example.com:5000/charts"],
  [installTimeout(), 60],
])("accepts %#", ([schema, given]) => expect(problemsIn(schema, given, "arg")).toEqual([]));

const wrong: [schema: Schema, given: unknown, code: string, got?: unknown][] = [
  [version, undefined, "missing"],
  [version, 1.2, "wrong-type"],
  [version, "latest", "version"],
  [version, "", "version"],
  [version, "^1.2.3", "version"],
  [version, output("1.2.3"), "wrong-type", "an Output"],
  [https, 1, "wrong-type"],
  [https, "charts", "not-allowed"],
  [https, "http://charts.example.com", "not-allowed"],
  [https, "oci://registry.example.com/charts", "not-allowed"],
  [https, "https://user:p@ss@charts.example.com", "not-allowed", "https://***@charts.example.com"],
  [oci, "oci:///charts", "not-allowed"],
  [oci, "oci://registry.example.com/chart:1.2.3", "not-allowed"],
  [oci, "oci://registry.example.com/chart@sha256:0", "not-allowed"],
  [installTimeout(), 59, "out-of-range"],
];

test.for(wrong)("rejects %#", ([schema, given, code, got = given]) => {
  expect(problemsIn(schema, given, "arg")).toMatchObject([{ code, path: "arg", got }]);
});

test("wording", () => {
  const texts = wrong.flatMap(([schema, given]) =>
    problemsIn(schema, given, "arg").map(({ why, fix }) => `${why} | ${fix}`),
  );
  expect(texts.join("\n")).toMatchInlineSnapshot(`
    "Must be set. | set arg to one exact version, such as "1.2.3", in quotes
    Must be a string. | set arg to one exact version, such as "1.2.3", in quotes
    Must be an exact version: a range installs different charts over time. | set arg to one exact version, such as "1.2.3"
    Must be an exact version: a range installs different charts over time. | set arg to one exact version, such as "1.2.3"
    Must be an exact version: a range installs different charts over time. | set arg to one exact version, such as "1.2.3"
    Must be known when the program starts, so that it can be checked. | set arg to a plain value
    Must be a string. | set arg to an https:// repository such as "https://charts.example.com"
    Must be the URL of a chart repository. | set arg to an https:// repository such as "https://charts.example.com"
    A chart creates privileged objects, so it must come over an encrypted, authenticated connection. | set arg to an https:// repository such as "https://charts.example.com"
    A chart creates privileged objects, so it must come over an encrypted, authenticated connection. | set arg to an https:// repository such as "https://charts.example.com"
    Must not contain a login, which every plan and the state would show. | remove the login from arg, and pass it as secrets with transform.release
    Must be the URL of a chart repository. | set arg to an https:// repository such as "https://charts.example.com", or to an oci:// registry
    Must not contain a tag or digest: chartVersion sets the version. | remove it from arg, and set chartVersion
    Must not contain a tag or digest: chartVersion sets the version. | remove it from arg, and set chartVersion
    Must be from 60 to 3600 seconds. | set arg to a whole number of seconds, from 60 to 3600"
  `);
});
