import * as grpc from "@grpc/grpc-js";
import { AnalyzeRequest, type AnalyzeResponse } from "@pulumi/pulumi/proto/analyzer_pb";
import type { StackValidationArgs } from "@pulumi/policy";
import * as sdk from "@pulumi/policy/deserialize";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { policiesOf } from "../../../policies/engine/crossguard";
import type { Pack } from "../../../policies/engine/judge";
import { analysisByType, stackAnalysisByType } from "../../../policies/engine/lean-analysis";
import {
  changeHandlers,
  checkedConfiguration,
  inputsOf,
  linksIn,
  shareDeserialisedProperties,
  type Handlers,
} from "../../../policies/engine/lean-sdk";
import { analyzeRequest, diagnostics, notApplicable, stackRequest } from "../support/analyzer";
import { painted, room, shelves } from "../support/sample-rules";
import { resource } from "../support/verdicts";

const pack: Pack = {
  name: "shop",
  version: "3.2.1",
  description: "Rules of the shop.",
  rules: [shelves, painted, room].map((rule) => ({ rule, level: "mandatory" as const })),
};

function analyse(asked: ReturnType<typeof resource>): Promise<AnalyzeResponse> {
  const policies = policiesOf(pack).map((policy) => ({ ...policy }));
  const handle = analysisByType({ pack, policies });
  if (!handle) throw new Error("the SDK has no such function");
  return new Promise((resolve, reject) =>
    handle({ request: analyzeRequest(asked) }, (error, response) =>
      response ? resolve(response) : reject(new Error(String(error))),
    ),
  );
}

test("rules that read the type are asked, and the others told as not applicable", async () => {
  const response = await analyse(resource("shop:index:Cupboard", { shelves: 99, paint: "red", height: 1 }));
  expect(diagnostics(response).map((said) => said.split(":")[0])).toEqual(["mandatory shelves"]);
  expect(notApplicable(response)).toEqual({ room: "judged with the whole stack" });

  const other = await analyse(resource("garden:index:Tree", {}));
  expect(diagnostics(other)).toEqual([]);
  const elsewhere = "it judges resources of other types";
  expect(notApplicable(other)).toEqual({ shelves: elsewhere, painted: elsewhere, room: elsewhere });
});

test("one handler serves every request of a type, and a second type after it", async () => {
  const handle = analysisByType({ pack, policies: policiesOf(pack) });
  const said = (type: string, properties: object) =>
    new Promise<string[]>((resolve) =>
      handle?.({ request: analyzeRequest(resource(type, { ...properties })) }, (_, response) =>
        resolve(response ? diagnostics(response).map((one) => one.split(":")[0] ?? "") : []),
      ),
    );
  const full = { shelves: 99, paint: "red", height: 1 };
  expect(await said("shop:index:Cupboard", full)).toEqual(["mandatory shelves"]);
  expect(await said("shop:index:Room", {})).toEqual([]);
  expect(await said("shop:index:Cupboard", full)).toEqual(["mandatory shelves"]);
});

test("a violation names pack and version", async () => {
  const response = await analyse(resource("shop:index:Cupboard", { shelves: 99, paint: "red", height: 1 }));
  expect(response.getDiagnosticsList()[0]?.toObject()).toMatchObject({
    policypackname: "shop",
    policypackversion: "3.2.1",
  });
});

test("a request that cannot be read is an error of its own", async () => {
  const handle = analysisByType({ pack, policies: policiesOf(pack) });
  const request = new AnalyzeRequest().setType("shop:index:Cupboard").setProperties(Struct.fromJavaScript({}));
  const error = await new Promise((resolve) => handle?.({ request }, resolve));
  expect(String(error)).toContain("A more recent version of the Pulumi CLI is required");
});

test("the inputs of a request are those that a rule is to read", () => {
  const cupboard = resource("shop:index:Cupboard", { shelves: 2 }, { options: { ignoreChanges: ["paint"] } });
  expect(inputsOf(analyzeRequest(cupboard))).toEqual({
    urn: cupboard.urn,
    type: cupboard.type,
    name: cupboard.name,
    properties: { shelves: 2 },
    options: { ignoreChanges: ["paint"] },
  });
  const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };
  expect(inputsOf(analyzeRequest(resource("a:b:C", { code: asset })))).toBeUndefined();
  expect(inputsOf(new AnalyzeRequest())).toBeUndefined();
});

test("links lead to whatever the stack has, of any type, and nowhere else", () => {
  const role = resource("aws:iam/role:Role", {}, { name: "role" });
  const policy = resource(
    "aws:iam/rolePolicy:RolePolicy",
    {},
    { name: "policy", dependencies: [role.urn, "urn:gone"], propertyDependencies: { role: [role.urn, "urn:gone"] } },
  );
  expect(linksIn(stackRequest([policy, role])).get(policy.urn)).toEqual({
    dependencies: [role.urn],
    propertyDependencies: { role: [role.urn] },
  });
});

describe("the analysis of a stack", () => {
  const counting = (name: string, types: string[]) => {
    const seen: string[][] = [];
    const rule = { ...room, id: name, types };
    const policy = {
      name,
      description: name,
      enforcementLevel: "mandatory" as const,
      validateStack: (args: StackValidationArgs, report: (message: string, urn?: string) => void) => {
        const { length } = args.resources;
        seen.push(args.resources.map(({ type }) => type));
        if (length === 0) args.notApplicable("nothing to judge");
        report(`${length} of them`);
      },
    };
    return { rule, policy, seen };
  };
  const served = (...all: ReturnType<typeof counting>[]) => ({
    pack: { ...pack, rules: all.map(({ rule }) => ({ rule, level: "mandatory" as const })) },
    policies: all.map(({ policy }) => policy),
  });
  const answer = (of: ReturnType<typeof served>) =>
    new Promise<AnalyzeResponse>((resolve, reject) => {
      const request = stackRequest([resource("a:b:C", {}, { name: "c" }), resource("a:b:D", {}, { name: "d" })]);
      stackAnalysisByType(of)?.({ request }, (error, response) =>
        response ? resolve(response) : reject(new Error(String(error))),
      );
    });

  test("shows each policy the types that it reads, and gathers what they say in their order", async () => {
    const [c, both, none] = [counting("c", ["a:b:C"]), counting("both", ["a:b:D", "a:b:C"]), counting("none", ["x"])];
    const response = await answer(served(c, both, none));
    expect([c.seen, both.seen, none.seen]).toEqual([[["a:b:C"]], [["a:b:C", "a:b:D"]], [[]]]);
    expect(diagnostics(response)).toEqual(["mandatory c: c\n1 of them", "mandatory both: both\n2 of them"]);
    expect(notApplicable(response)).toEqual({ none: "nothing to judge" });
  });

  test("fails as a whole where one policy fails", async () => {
    const broken = counting("broken", ["a:b:C"]);
    broken.policy.validateStack = () => {
      throw new Error("no such shelf");
    };
    await expect(answer(served(counting("c", ["a:b:C"]), broken))).rejects.toThrow("no such shelf");
  });

  test("is left to the SDK where no rule is on the stack", () => {
    const rules = [{ rule: shelves, level: "mandatory" as const }];
    expect(stackAnalysisByType({ pack: { ...pack, rules }, policies: policiesOf({ ...pack, rules }) })).toBeUndefined();
  });
});

test("properties of one request are deserialised once, and anew for a remediation", () => {
  const module = sdk as unknown as { deserializeProperties: (given: Struct, proxySecrets: boolean) => object };
  const original = module.deserializeProperties;
  shareDeserialisedProperties();
  const shared = module.deserializeProperties;
  const request = Struct.fromJavaScript({ a: 1 });
  expect(shared(request, false)).toEqual({ a: 1 });
  expect(shared(request, false)).toBe(shared(request, false));
  expect(shared(request, true)).not.toBe(shared(request, true));
  expect(shared(Struct.fromJavaScript({ a: 1 }), false)).not.toBe(shared(request, false));
  module.deserializeProperties = original;
});

const configured = (parameters: Record<string, object>) => ({
  request: {
    getPolicyconfigMap: () =>
      new Map(
        Object.entries(parameters).map(([rule, given]) => [
          rule,
          { getProperties: () => ({ toJavaScript: () => given as Record<string, unknown> }) },
        ]),
      ),
  },
});

test("a configuration is checked before the SDK gets it", () => {
  const configure = vi.fn((_: unknown, answer: (error: unknown, value?: object) => void) => answer(undefined, {}));
  const check = vi.fn();
  const answer = vi.fn();
  const call = configured({ shelves: { most: 3 } });
  checkedConfiguration(configure, check)(call, answer);
  expect(check).toHaveBeenCalledWith({ shelves: { most: 3 } });
  expect(configure).toHaveBeenCalledWith(call, answer);
  expect(answer).toHaveBeenCalledWith(undefined, {});
});

test("a configuration that does not pass is refused as an invalid argument", () => {
  const configure = vi.fn();
  const answer = vi.fn();
  const refuse = () => {
    throw new Error("shelves.most: got 0");
  };
  checkedConfiguration(configure, refuse)(configured({}), answer);
  expect(answer).toHaveBeenCalledWith({ code: grpc.status.INVALID_ARGUMENT, details: "shelves.most: got 0" });
  expect(configure).not.toHaveBeenCalled();
});

const original = Object.getOwnPropertyDescriptor(grpc.Server.prototype, "addService") ?? {};
afterEach(() => {
  Object.defineProperty(grpc.Server.prototype, "addService", original);
});

test("a server is given the changed handlers, and its own service", () => {
  const served = vi.fn();
  grpc.Server.prototype.addService = served;
  changeHandlers((handlers) => ({ ...handlers, analyze: "changed" as unknown as Handlers["analyze"] }));
  const service = {};
  grpc.Server.prototype.addService(service, { analyze: () => 0, configure: () => 1 });
  expect(served).toHaveBeenCalledWith(service, { analyze: "changed", configure: expect.any(Function) as unknown });
});
