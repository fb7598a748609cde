import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EnforcementLevel } from "@pulumi/pulumi/proto/analyzer_pb";
import { expect, test } from "vitest";
import { packs } from "../../../policies/packs";
import { analyzeRequest, diagnostics, stackRequest } from "../support/analyzer";
import { projectWithOwnSdk, replace } from "../support/modified-sdk";
import { servePack } from "../support/served-pack";
import { resource, unknown } from "../support/verdicts";

/** The SDK with package `exports` that name its index only. */
function hideSubpaths(sdk: string): void {
  const file = join(sdk, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, exports: { ".": "./index.js" } }));
}

/** The SDK with all files but its index in another folder. */
function moveFiles(sdk: string): void {
  mkdirSync(join(sdk, "lib"));
  for (const file of readdirSync(sdk).filter((name) => name.endsWith(".js") && name !== "index.js")) {
    renameSync(join(sdk, file), join(sdk, "lib", file));
  }
  replace(join(sdk, "index.js"), 'require("./', 'require("./lib/');
}

const addService = "server.addService(analyzerrpc.AnalyzerService, {";

/** The SDK with handlers that are methods of a class, and with a third argument. */
function registerClass(sdk: string): void {
  const file = join(sdk, "server.js");
  replace(file, addService, "addHandlers(server, {");
  const code = `
function addHandlers(server, handlers) {
  class Handlers {}
  Object.assign(Handlers.prototype, handlers);
  server.addService(analyzerrpc.AnalyzerService, new Handlers(), {});
}`;
  writeFileSync(file, readFileSync(file, "utf8") + code);
}

/** The SDK with another way to register its handlers. */
function registerEach(sdk: string): void {
  const file = join(sdk, "server.js");
  replace(file, addService, "registerHandlers(server, {");
  const code = `
function registerHandlers(server, handlers) {
  for (const [name, { path, responseSerialize, requestDeserialize }] of Object.entries(analyzerrpc.AnalyzerService)) {
    if (handlers[name]) server.register(path, handlers[name], responseSerialize, requestDeserialize, "unary");
  }
}`;
  writeFileSync(file, readFileSync(file, "utf8") + code);
}

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const scaling = (minSize: unknown, desiredSize: unknown, maxSize: unknown) => ({
  scalingConfig: { minSize, desiredSize, maxSize },
});
const container = {
  image: "registry.example/app:1.2.3",
  resources: { limits: { "nvidia.com/gpu": 1, memory: "8Gi" } },
};
const spec = { tolerations: [{ operator: "Exists" }], containers: [container] };
const operator = resource("eks-gpu-lab:index:GpuOperator", { chartVersion: "latest" }, { name: "operator" });
const release = { chart: "gpu-operator", version: "latest", values: {} };
const stack = [
  resource(nodeGroup, { ...scaling(0, 0, 1), instanceTypes: ["g5.xlarge"], amiType: "AL2023_x86_64_NVIDIA" }),
  resource("kubernetes:apps/v1:Deployment", { spec: { replicas: 1, template: { spec } } }, { name: "serving" }),
  operator,
  resource("kubernetes:helm.sh/v3:Release", release, { name: "release", parent: operator.urn }),
  resource(nodeGroup, scaling(0, 3, 2), { name: "reversed" }),
  resource(nodeGroup, scaling(0, unknown, 2), { name: "open" }),
];

/** Everything that a pack tells the engine about a stack, and its answer to a wrong configuration. */
async function answersOf(root?: string) {
  const pack = await servePack("lab", { stack: "dev" }, root);
  try {
    const verdicts: string[] = [];
    for (const one of stack) verdicts.push(...diagnostics(await pack.analyze(analyzeRequest(one))));
    const outputs = stack.map((one) => ({ ...one, properties: {} }));
    verdicts.push(...diagnostics(await pack.analyzeStack(stackRequest(outputs))));
    const wrong = { "gpu-node-disk": { level: EnforcementLevel.MANDATORY, properties: { minGib: 1 } } };
    const configuration = await pack.configure(wrong).then(
      () => "accepted",
      () => "rejected",
    );
    return { rules: (await pack.info()).getPoliciesList().length, verdicts, configuration, output: pack.output };
  } finally {
    await pack.stop();
  }
}

const port = expect.stringMatching(/^\d+$/) as unknown;
const expected = answersOf();

test("with the SDK as it is, the pack gives verdicts of every kind and rejects a wrong configuration", async () => {
  const { rules, verdicts, configuration, output } = await expected;
  expect(rules).toBe(packs.lab.rules.length);
  const levelAndRule = verdicts.map((text) => text.split(":")[0]);
  expect(levelAndRule).toContain("mandatory gpu-rollout-deadlock");
  expect(levelAndRule).toContain("advisory pod-resources");
  expect(levelAndRule.filter((text) => text?.endsWith(" gpu-operator-chart-pinned"))).toHaveLength(1);
  expect(configuration).toBe("rejected");
  expect(output).toEqual([port]);
});

test.for([
  ["hides its subpaths", hideSubpaths],
  ["moves its files", moveFiles],
  ["registers its handlers with another signature", registerClass],
] as const)("an SDK that %s changes nothing", async ([, modify]) => {
  const root = projectWithOwnSdk(modify);
  expect(await answersOf(root)).toEqual({ ...(await expected), output: [port] });
  rmSync(root, { recursive: true });
});

test("an SDK that registers its handlers in another way gives the same verdicts, and the pack says what is missing", async () => {
  const root = projectWithOwnSdk(registerEach);
  const { configuration, output, ...answers } = await answersOf(root);
  const { rules, verdicts } = await expected;
  expect(answers).toEqual({ rules, verdicts });
  expect(configuration).toBe("accepted");
  expect(output.filter((line) => !line.startsWith("stderr"))).toEqual([port]);
  expect(output.filter((line) => line.startsWith("stderr"))).toEqual([
    "stderr: This version of @pulumi/policy ignores mistakes in the policy configuration.\n",
  ]);
  rmSync(root, { recursive: true });
});

test("an SDK that takes only a string for a violation still gets the message", async () => {
  const root = projectWithOwnSdk((sdk) =>
    replace(join(sdk, "server.js"), 'if (typeof message === "object") {', "if (false) {"),
  );
  const { verdicts } = await answersOf(root);
  const messages = (all: readonly string[]) => all.map((text) => text.split("\n").slice(-2));
  expect(messages(verdicts)).toEqual(messages((await expected).verdicts));
  rmSync(root, { recursive: true });
});
