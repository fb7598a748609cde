import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import esbuild from "esbuild";

let script: string;
beforeAll(async () => {
  const contents = 'export { deferSeldomUsedModules } from "./planner/program/sdk-changes";';
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    platform: "node",
    format: "iife",
    globalName: "late",
    write: false,
  });
  script = `${outputFiles[0]?.text}\nlate.deferSeldomUsedModules(); late.deferSeldomUsedModules();\n`;
});

/** What a process of its own prints, with the SDK's closure serialisation as the module that asks. */
function printed(code: string): string {
  const closure = join(dirname(createRequire(__filename).resolve("@pulumi/pulumi")), "runtime/closure/codePaths.js");
  const asks = `const Module = require("module"); const from = (filename) => (request) => Module._load(request, { filename, paths: Module._nodeModulePaths("${process.cwd()}") }, false); const ofClosure = from(${JSON.stringify(closure)}); const ofOthers = from("/elsewhere/index.js");`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", `${script}${asks}${code}`], { encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
}

test("what only closures need is loaded when it is used, and then is what it is", () => {
  const loaded = 'console.log(Object.keys(require.cache).some((name) => name.includes("arborist")));';
  expect(printed(`const it = ofClosure("@npmcli/arborist"); ${loaded} console.log(it.__esModule); ${loaded}`)).toBe(
    ["false", "true", "false"].join("\n"),
  );
  expect(
    printed(`const it = ofClosure("@npmcli/arborist"); console.log(typeof it.Arborist.prototype.loadActual);`),
  ).toBe("function");
});

test("the default export of a module that is no ES module is the module", () => {
  const name = 'const data = { name: "a", version: "v1.0.0" };';
  expect(
    printed(`${name} ofClosure("normalize-package-data").default(data, () => undefined); console.log(data.version);`),
  ).toBe("1.0.0");
});

test("the Automation API is loaded when a program uses it", () => {
  const loaded = "console.log(Object.keys(require.cache).some((name) => /automation.stack[.]js/.test(name)));";
  expect(
    printed(
      `const { automation } = require("@pulumi/pulumi"); ${loaded} console.log(typeof automation.Stack.create); ${loaded}`,
    ),
  ).toBe(["false", "function", "true"].join("\n"));
});

test("what talks to an engine is loaded when a program uses it, and then is what it is", () => {
  const loaded = "console.log(Object.keys(require.cache).some((name) => /@grpc.grpc-js/.test(name)));";
  const proto = 'require("@pulumi/pulumi/proto/resource_grpc_pb");';
  expect(
    printed(
      `require("@pulumi/pulumi"); const { ResourceMonitorClient } = ${proto} ${loaded} console.log(ResourceMonitorClient.service.invoke.path); ${loaded}`,
    ),
  ).toBe(["false", "/pulumirpc.ResourceMonitor/Invoke", "true"].join("\n"));
  const client = 'new ResourceMonitorClient("127.0.0.1:1", require("@grpc/grpc-js").credentials.createInsecure())';
  expect(
    printed(
      `require("@pulumi/pulumi"); const { ResourceMonitorClient } = ${proto} const client = ${client}; console.log(typeof client.registerResource, client instanceof require("@grpc/grpc-js").Client); client.close();`,
    ),
  ).toBe("function true");
});

test("a program can use the SDK's provider server and the errors of an engine", () => {
  const sdk = 'const pulumi = require("@pulumi/pulumi");';
  const loaded = "console.log(Object.keys(require.cache).some((name) => /provider.server[.]js/.test(name)));";
  expect(printed(`${sdk} ${loaded} console.log(typeof pulumi.provider.main); ${loaded}`)).toBe(
    ["false", "function", "true"].join("\n"),
  );
  expect(
    printed(
      `${sdk} console.log(require("@pulumi/pulumi/errors").isGrpcError({ name: "ServiceError", code: 14, details: "" }));`,
    ),
  ).toBe("true");
});

test("others load it at once, and closures everything else", () => {
  const isLoaded = (name: string) => `console.log(Object.keys(require.cache).some((one) => one.includes("${name}")));`;
  expect(printed(`ofOthers("@npmcli/arborist"); ${isLoaded("arborist")}`)).toBe("true");
  expect(printed(`ofClosure("semver"); ${isLoaded("semver")}`)).toBe("true");
});
