import { expect, test } from "vitest";
import { describe as describeValue, describeVersion } from "../../../../components/core/reader/describe";

test.for([
  [undefined, "nothing"],
  [null, "nothing"],
  [3, "3"],
  [Number.NaN, "NaN"],
  [-0.5, "-0.5"],
  [false, "false"],
  ["", "an empty string"],
  ["hunter2", "a string"],
  [["hunter2"], "a list"],
  [{ password: "hunter2" }, "an object"],
] as const)("%j is described as %s", ([value, expected]) => {
  expect(describeValue(value)).toBe(expected);
});

test.for([
  "v26.3.1",
  "26.3.1",
  "26.3",
  "v26",
  ">=26",
  "> = 26.0.0",
  "^1.2.3",
  "~1.2",
  "1.2.x",
  "1.x",
  "*",
  "latest",
  "Latest",
  "stable",
  "main",
  "devel",
  "x",
  "-",
  "||",
  ">=  26.0.0",
  "1.12345.x",
  "1.2.3-123",
  "1.2.3  ||  1.2.4  ||  1.2.5  ||  1.2.6  ||  1.2.7  ||  1.2.8",
  "26.3.1 - 26.7.0",
  ">=26.0.0 <27.0.0",
  ">=26.0.0, <27",
  "1.2.3 || 2.0.0",
  "v26.3.1-rc.1",
  "1.2.3-beta2",
  ">=26.0.0-0",
  "!=1.2.3",
  " v26.3.1 ",
])("a version is shown: %s", (version) => {
  expect(describeVersion(version)).toBe(JSON.stringify(version));
});

test.for([
  ["hunter2", "a string that is not a version"],
  ["1.2.3-hunter2", "a string that is not a version"],
  ["1.2.3+hunter2", "a string that is not a version"],
  ["v1.2.3 hunter2", "a string that is not a version"],
  ["12345678", "a string that is not a version"],
  ["1.2.3.4", "a string that is not a version"],
  ["1 ".repeat(40), "a long string"],
  ["1.2.3-1234", "a string that is not a version"],
  ["1.123456", "a string that is not a version"],
  ["1.2.3  ||  1.2.4  ||  1.2.5  ||  1.2.6  ||  1.2.7  ||  1.2.81", "a long string"],
  ["", "an empty string"],
  ["  ", "a string"],
  [26, "26"],
  [undefined, "nothing"],
] as const)("anything else is described: %j is %s", ([value, expected]) => {
  expect(describeVersion(value)).toBe(expected);
});
