import * as grpc from "@grpc/grpc-js";
import { AnalyzeRequest, type AnalyzeResponse } from "@pulumi/pulumi/proto/analyzer_pb";
import * as sdk from "@pulumi/policy/deserialize";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { afterEach, expect, test, vi } from "vitest";
import { policiesOf } from "../../../policies/core/crossguard";
import type { Pack } from "../../../policies/core/judge";
import {
  analysisByType,
  changeHandlers,
  checkedConfiguration,
  shareDeserialisedProperties,
  type Handlers,
} from "../../../policies/core/lean-sdk";
import { analyzeRequest, diagnostics, notApplicable } from "../support/analyzer";
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
