import { expect, test } from "vitest";
import { problemsIn } from "../../../../components/core/schema";
import { zoneList, zoneName } from "../../../../components/network/vpc/zones";

const six = ["a", "b", "c", "d", "e", "f"].map((letter) => `us-east-1${letter}`);

test.for([
  ["ap-northeast-2a", true],
  ["us-gov-west-1b", true],
  ["us-iso-east-1a", true],
  ["ap-northeast-2", false],
  ["us-west-2-lax-1a", false],
  ["us-east-1-wl1-bos-wlz-1", false],
  ["apne2-az1", false],
  ["AP-NORTHEAST-2A", false],
  ["", false],
  [2, false],
  [null, false],
] as const)("the zone name %j passes: %j", ([zone, passes]) => {
  expect(problemsIn(zoneName(), zone).length === 0).toBe(passes);
});

const cases = [
  ["two zones", six.slice(0, 2), []],
  ["six zones", six, []],
  ["one zone", six.slice(0, 1), [["out-of-range", "zones"]]],
  ["seven zones", [...six, "us-east-1g"], [["out-of-range", "zones"]]],
  ["no zone", [], [["out-of-range", "zones"]]],
  ["a text", "us-east-1a", [["wrong-type", "zones"]]],
  ["nothing", null, [["wrong-type", "zones"]]],
  ["a zone twice", ["us-east-1a", "us-east-1b", "us-east-1a"], [["conflict", "zones[2]"]]],
  ["zones of two regions", ["us-east-1a", "us-west-2a"], [["conflict", "zones"]]],
  [
    "names of no zones",
    ["us-east-1", 3],
    [
      ["not-allowed", "zones[0]"],
      ["wrong-type", "zones[1]"],
    ],
  ],
] as const;

test.for(cases)("%s", ([, zones, expected]) => {
  expect(problemsIn(zoneList(), zones, "zones").map(({ code, path }) => [code, path])).toEqual(expected);
});

test("the messages", () => {
  const problems = cases.flatMap(([, zones]) => problemsIn(zoneList(), zones, "network.zones"));
  expect(problems.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
});
