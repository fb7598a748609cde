import * as grpc from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkConfiguration } from "../../../policies/engine/configuration-check";

const prototype = grpc.Server.prototype as unknown as { addService: unknown };
const original = prototype.addService;
const registered = vi.fn<(service: unknown, handlers: Handlers, ...rest: unknown[]) => string>(() => "registered");

interface Handlers {
  configure?: unknown;
  analyze?: unknown;
}

beforeEach(() => {
  registered.mockClear();
  prototype.addService = registered;
});
afterEach(() => {
  prototype.addService = original;
});

/** Registers handlers as the SDK does. */
function register(...args: Parameters<typeof registered>): string {
  return (grpc.Server.prototype as unknown as { addService: typeof registered }).addService(...args);
}

/** The handler that the server gets in place of `configure`. */
function checkedHandler(configure: (...args: unknown[]) => unknown, problem?: string) {
  const problemIn = vi.fn(() => problem);
  const check = checkConfiguration(problemIn);
  expect(check.isActive).toBe(false);
  register({}, { configure });
  expect(check.isActive).toBe(true);
  const handler = registered.mock.calls[0]?.[1].configure as (...args: unknown[]) => unknown;
  return { problemIn, handler };
}

const request = (parameters: Record<string, object>) => ({
  request: {
    getPolicyconfigMap: () =>
      new Map(
        Object.entries(parameters).map(([rule, value]) => [
          rule,
          { getProperties: () => ({ toJavaScript: () => value }) },
        ]),
      ),
  },
});

test("a valid configuration is passed on, with every argument", () => {
  const configure = vi.fn(() => "configured");
  const { handler, problemIn } = checkedHandler(configure);
  const [call, callback] = [request({ shelves: { most: 3 } }), vi.fn()];
  expect(handler(call, callback, "more")).toBe("configured");
  expect(problemIn).toHaveBeenCalledWith({ shelves: { most: 3 } });
  expect(configure).toHaveBeenCalledWith(call, callback, "more");
  expect(callback).not.toHaveBeenCalled();
});

test("a wrong configuration is rejected as an invalid argument", () => {
  const configure = vi.fn();
  const { handler } = checkedHandler(configure, "shelves.most: got 0");
  const callback = vi.fn();
  handler(request({}), callback);
  expect(callback).toHaveBeenCalledWith({ code: grpc.status.INVALID_ARGUMENT, details: "shelves.most: got 0" });
  expect(configure).not.toHaveBeenCalled();
});

test.for([
  ["a request of another form", { request: {} }, vi.fn()],
  ["no request", undefined, vi.fn()],
  ["no callback", request({}), undefined],
] as const)("%s is left to the SDK", ([, call, callback]) => {
  const configure = vi.fn();
  checkedHandler(configure, "wrong").handler(call, callback);
  expect(configure).toHaveBeenCalledWith(call, callback);
});

test("the other handlers and arguments reach the server, also those of a class", () => {
  class OfSdk {
    configure() {}
    analyze() {}
  }
  const check = checkConfiguration(() => undefined);
  const [service, handlers] = [{}, new OfSdk()];
  expect(register(service, handlers, 3)).toBe("registered");
  const [itsService, itsHandlers, third] = registered.mock.calls[0] ?? [];
  expect([itsService, third]).toEqual([service, 3]);
  expect(itsHandlers?.analyze).toBe(Reflect.get(OfSdk.prototype, "analyze"));
  expect(Object.keys(itsHandlers ?? {})).toEqual(["configure"]);
  expect(check.isActive).toBe(true);
});

test.for([[{ analyze: () => 0 }], [{ configure: "none" }]] as const)(
  "handlers %o are left as they are",
  ([handlers]) => {
    const check = checkConfiguration(() => "wrong");
    register({}, handlers);
    expect(registered.mock.calls[0]?.[1]).toBe(handlers);
    expect(check.isActive).toBe(false);
  },
);

test("a server without addService is left as it is", () => {
  prototype.addService = undefined;
  expect(checkConfiguration(() => "wrong").isActive).toBe(false);
  expect(prototype.addService).toBeUndefined();
});
