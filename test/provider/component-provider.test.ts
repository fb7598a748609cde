import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unknownOutput } from "../../components/core/wire";
import type { PackageSchema } from "../../provider/package-schema";
import { renderWhole } from "../../tools/docs";
import { components } from "../support/valid-arguments";
import { type ProviderProcess, startProvider } from "./support/provider-process";

const schema = JSON.parse(readFileSync("provider/schema.json", "utf8")) as PackageSchema;
const tokenOf = (component: string) => `eks-gpu-lab:index:${component}`;
let provider: ProviderProcess;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.stop());

test("provider/schema.json is what npm run docs writes", async () => {
  const files = await renderWhole("packageSchema");
  expect(files["provider/schema.json"]).toBe(readFileSync("provider/schema.json", "utf8"));
});

test("prints nothing before its port, and serves the schema with the version of the package", async () => {
  expect(provider.printed).toEqual([]);
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(JSON.parse(await provider.schema())).toEqual({ ...schema, version });
});

test("the schema has every component that the project tests", () => {
  expect(Object.keys(schema.resources).sort()).toEqual(components.map(([name]) => tokenOf(name)).sort());
});

// The two targets of a capacity reservation are alternatives, which the argument describes.
test("every property of a type has a description", () => {
  const bare = Object.entries(schema.types).flatMap(([token, type]) =>
    "properties" in type
      ? Object.entries(type.properties).flatMap(([key, { description }]) => (description ? [] : [`${token}.${key}`]))
      : [],
  );
  expect(bare.filter((path) => !/CapacityReservation\.(id|resourceGroupArn)$/.test(path))).toEqual([]);
});

test("states the forms that a check reads whole", () => {
  const inputOf = (component: string, key: string) => schema.resources[tokenOf(component)]?.inputProperties[key];
  expect(inputOf("FaultInjection", "expires")).toMatchObject({ type: "string" });
  expect(inputOf("SocketMount", "expires")).toMatchObject({ type: "string" });
  for (const component of ["EksCluster", "GpuEnvironment"])
    expect(inputOf(component, "logRetentionDays")).toMatchObject({ type: "integer" });
});

describe("construct", () => {
  test.for(components)(
    "creates a %s from plain values, and returns outputs of the schema",
    async ([component, inputs]) => {
      const type = tokenOf(component);
      const name = component.toLowerCase();
      const { urn, state } = await provider.construct({ type, name, inputs: { ...inputs } });
      expect(urn).toBe(`urn:pulumi:gpu-lab::test::${type}::${name}`);
      const { properties = {}, required = [] } = schema.resources[type] ?? {};
      expect(Object.keys(state).filter((key) => !Object.hasOwn(properties, key))).toEqual([]);
      expect(required.filter((key) => !Object.hasOwn(state, key))).toEqual([]);
    },
  );

  test("reports every problem of the arguments, and registers nothing", async () => {
    const inputs = { instanceType: "g5.xlrge", maxsize: 2, minSize: -1 };
    const construct = provider.construct({ type: tokenOf("GpuNodeGroup"), name: "wrong", inputs });
    const message = await construct.then(() => "", String);
    for (const path of ["maxsize", "minSize", "instanceType", "subnetId"]) expect(message).toContain(`\n  ${path}: `);
    expect(provider.registered.filter(({ name }) => name.startsWith("wrong"))).toEqual([]);
  });

  test.for([
    ["EksCluster", "subnetIds"],
    ["LabLease", "alarmTopicArns"],
    ["SystemNodeGroup", "subnetIds"],
    ["GpuNodeGroup", "securityGroupIds"],
  ] as const)("%s accepts a list %s that is not known yet", async ([component, list]) => {
    const [, args] = components.find(([name]) => name === component) ?? [];
    const inputs = { ...args, [list]: unknownOutput };
    const constructed = provider.construct({ type: tokenOf(component), name: "unknown-list", inputs });
    await expect(constructed).resolves.toMatchObject({ urn: expect.stringContaining("unknown-list") as string });
    expect(schema.resources[tokenOf(component)]?.inputProperties[list]).not.toHaveProperty("plain");
  });

  test("rejects an argument that only TypeScript has, and says what to set", async () => {
    const construct = provider.construct({ type: tokenOf("GpuProbe"), name: "probe", inputs: { cluster: "urn" } });
    await expect(construct).rejects.toThrow("fix: set the resource option deletedWith to the cluster");
  });

  test("prints the problems that docs/languages.md quotes", async () => {
    const inputs = { publicAccessCidrs: ["8.8.8.8/32"], gpuNodes: { instanceType: "g5.xlrge", maxSize: -2 } };
    const construct = provider.construct({ type: tokenOf("GpuEnvironment"), name: "lab", inputs });
    const { message } = await construct.then(
      () => new Error("created"),
      (error: Error) => error,
    );
    expect(readFileSync("docs/languages.md", "utf8")).toContain(`\`\`\`text\n${message}\n\`\`\``);
  });

  test("reports such an argument together with every other problem", async () => {
    const inputs = { cluster: "urn", imag: "x", schedule: 3 };
    const construct = provider.construct({ type: tokenOf("GpuProbe"), name: "wrong", inputs });
    const message = await construct.then(() => "", String);
    expect(message).toContain("3 problems with ");
    for (const path of Object.keys(inputs)) expect(message).toContain(`\n  ${path}: `);
  });

  test("passes the whole URN of deletedWith to the children", async () => {
    const deletedWith = "urn:pulumi:gpu-lab::test::eks-gpu-lab:index:EksCluster::cluster";
    await provider.construct({ type: tokenOf("GpuProbe"), name: "with-cluster", inputs: {}, deletedWith });
    const pod = provider.registered.find(
      ({ type, name }) => type === "kubernetes:core/v1:Pod" && name === "with-cluster",
    );
    expect(pod?.deletedWith).toBe(deletedWith);
  });

  test("rejects a type that it does not have", async () => {
    const construct = provider.construct({ type: tokenOf("Gpu"), name: "gpu", inputs: {} });
    await expect(construct).rejects.toThrow("eks-gpu-lab has no component eks-gpu-lab:index:Gpu");
  });
});
