import { expect, test } from "vitest";
import { efaInterfaces, smallestWithEfa } from "../../../../components/nodes/machine/efa-interfaces";
import {
  instanceType,
  instanceTypeNames,
  type InstanceType,
} from "../../../../components/nodes/machine/instance-types";

/** `card:device kind` of each interface, runs of like cards in short. */
function layout(name: string): string {
  const interfaces = efaInterfaces(instanceType(name) as InstanceType, ["sg-1"]);
  const [first, ...rest] = interfaces.map((one) => `:${one.deviceIndex} ${one.interfaceType}`);
  expect(interfaces.map((one) => one.networkCardIndex)).toEqual(interfaces.map((_, card) => card));
  return [`0${first}`, ...(rest.length > 0 ? [`1-${rest.length}${[...new Set(rest)].join("|")}`] : [])].join(", ");
}

test.for([
  ["g4dn.8xlarge", "0:0 efa"],
  ["g5.12xlarge", "0:0 efa"],
  ["g6e.12xlarge", "0:0 efa"],
  ["g6e.24xlarge", "0:0 efa, 1-1:1 efa-only"],
  ["g6e.48xlarge", "0:0 efa, 1-3:1 efa-only"],
  ["g7.48xlarge", "0:0 efa, 1-1:1 efa-only"],
  ["g7e.48xlarge", "0:0 efa, 1-3:1 efa-only"],
  ["p4d.24xlarge", "0:0 efa, 1-3:1 efa-only"],
  ["p5.4xlarge", "0:0 efa"],
  ["p5.48xlarge", "0:0 efa, 1-31:1 efa-only"],
  ["p5en.48xlarge", "0:0 efa, 1-15:1 efa-only"],
  ["p6-b200.48xlarge", "0:0 efa, 1-7:1 efa-only"],
  ["p6-b300.48xlarge", "0:0 interface, 1-16:0 efa-only"],
] as const)("%s", ([name, expected]) => expect(layout(name)).toBe(expected));

test("an interface in full", () => {
  expect(efaInterfaces(instanceType("g5.8xlarge") as InstanceType, ["sg-1", "sg-2"])).toEqual([
    {
      networkCardIndex: 0,
      deviceIndex: 0,
      interfaceType: "efa",
      deleteOnTermination: "true",
      securityGroups: ["sg-1", "sg-2"],
    },
  ]);
});

test("every type gets as many adapters as it has", () => {
  for (const name of instanceTypeNames) {
    const type = instanceType(name) as InstanceType;
    if (type.efaInterfaces === 0) continue;
    const adapters = efaInterfaces(type, []).filter((one) => one.interfaceType !== "interface");
    expect([name, adapters.length]).toEqual([name, type.efaInterfaces]);
  }
});

test.for([
  ["g5", "g5.8xlarge"],
  ["g6", "g6.8xlarge"],
  ["g6f", undefined],
  ["g5g", undefined],
] as const)("the smallest %s with EFA", ([family, name]) => expect(smallestWithEfa(family)?.name).toBe(name));
