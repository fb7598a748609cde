// Measures what the policy packs cost a preview:
//
// - the start of the process until it prints its port, as the engine starts it
// - the analysis of 1,000 resources of 1 kB with every rule of the pack: over gRPC, as the engine calls it (Analyze of
//   each, AnalyzeStack of all), and in process
// - Remediate of the same resources, in its own column: the engine calls it before each Analyze, and no rule takes part
// - Analyze of one resource of 128 kB
//
// The peers run on the unmodified server of the SDK: a pack of one empty policy, and one of five short rules, as a small
// pack of awsguard has them. The exit status is 1 over budget.
//
//   node tools/bench/policies.mjs [runs]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import esbuild from "esbuild";
import { median, root, since } from "./measure.mjs";

const require = createRequire(import.meta.url);
const grpc = require("@grpc/grpc-js");
const { AnalyzerClient } = require("@pulumi/pulumi/proto/analyzer_grpc_pb");
const {
  AnalyzeRequest,
  AnalyzerResource,
  AnalyzerResourceOptions,
  AnalyzeStackRequest,
} = require("@pulumi/pulumi/proto/analyzer_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");

const runs = Number(process.argv[2] ?? 5);
const budgets = { port: 1200, grpc: 8000, inProcess: 250, large: 400 };

const filler = (bytes) =>
  Object.fromEntries(Array.from({ length: bytes / 32 }, (_, n) => [`k${n}`.padEnd(8), "v".repeat(16)]));
/** A stack as a GPU lab has it: groups of nodes, releases, workloads and much that no rule reads. */
const shapes = [
  [
    "aws:eks/nodeGroup:NodeGroup",
    {
      amiType: "AL2023_x86_64_NVIDIA",
      instanceTypes: ["g5.xlarge"],
      scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    },
  ],
  [
    "kubernetes:helm.sh/v3:Release",
    { chart: "gpu-operator", version: "v26.3.1", values: { driver: { enabled: false }, toolkit: { enabled: false } } },
  ],
  [
    "kubernetes:apps/v1:Deployment",
    {
      metadata: { name: "web" },
      spec: { replicas: 1, template: { spec: { containers: [{ name: "web", image: "web:1" }] } } },
    },
  ],
  ["aws:ec2/launchTemplate:LaunchTemplate", { metadataOptions: { httpTokens: "required" } }],
  ["aws:iam/role:Role", { name: "role" }],
  ["aws:ec2/subnet:Subnet", { cidrBlock: "10.0.0.0/24" }],
  ["aws:s3/bucket:Bucket", { bucket: "bucket" }],
];
const resources = Array.from({ length: 1000 }, (_, n) => resource(n, 1024));

function resource(n, bytes) {
  const [type, properties] = shapes[n % shapes.length];
  const name = `r${n}`;
  return {
    type,
    name,
    urn: `urn:pulumi:bench::project::${type}::${name}`,
    properties: { ...properties, tags: filler(bytes) },
  };
}

function request({ type, name, urn, properties }) {
  return new AnalyzeRequest()
    .setType(type)
    .setName(name)
    .setUrn(urn)
    .setProperties(Struct.fromJavaScript(properties))
    .setOptions(new AnalyzerResourceOptions());
}

/** Starts a pack as the engine does. */
async function serve(folder) {
  const start = process.hrtime.bigint();
  const runner = join(root, "node_modules/@pulumi/pulumi/cmd/run-policy-pack");
  const env = { ...process.env, PULUMI_NODEJS_PROJECT: "bench", PULUMI_NODEJS_STACK: "bench", PULUMI_CONFIG: "{}" };
  const child = spawn(process.execPath, [runner, "127.0.0.1:0", folder], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", () => reject(new Error(`${folder} did not start`)));
  });
  const ms = since(start);
  const client = new AnalyzerClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const call = (method, message) =>
    new Promise((resolve, reject) =>
      client[method](message, (error, answer) => (error ? reject(error) : resolve(answer))),
    );
  return { ms, call, stop: () => (client.close(), child.kill()) };
}

function analysis({ call }, requests) {
  return timed(async () => {
    for (const one of requests) await call("analyze", one);
    await call("analyzeStack", stackOf(requests));
  });
}

/** The Remediate calls of the engine, which no rule takes part in. */
function remediation({ call }, requests) {
  return timed(async () => {
    for (const one of requests) await call("remediate", one);
  });
}

async function timed(work) {
  const start = process.hrtime.bigint();
  await work();
  return since(start);
}

/** The request with all resources, which the engine sends for the rules on the stack after the last resource. */
function stackOf(requests) {
  const seen = requests.map((one) =>
    new AnalyzerResource()
      .setType(one.getType())
      .setName(one.getName())
      .setUrn(one.getUrn())
      .setProperties(one.getProperties())
      .setOptions(one.getOptions()),
  );
  return new AnalyzeStackRequest().setResourcesList(seen);
}

const emptyPolicy = '{ name: "nothing", description: "Nothing.", enforcementLevel: "advisory", validateResource() {} }';

/** Five rules that each read a property of one type, as most rules of awsguard do. */
const fivePolicies = [
  ["aws:eks/nodeGroup:NodeGroup", "props.instanceTypes?.includes('t3.nano')"],
  ["aws:ec2/launchTemplate:LaunchTemplate", "props.metadataOptions?.httpTokens !== 'required'"],
  ["aws:iam/role:Role", "props.name === 'admin'"],
  ["aws:ec2/subnet:Subnet", "props.mapPublicIpOnLaunch"],
  ["aws:s3/bucket:Bucket", "props.acl === 'public-read'"],
].map(
  ([type, isWrong], index) =>
    `{ name: "rule-${index}", description: "A rule.", enforcementLevel: "mandatory", validateResource({ type, props }, report) {
      if (type === "${type}" && ${isWrong}) report("wrong");
    } }`,
);

/** A pack with the packages of this project. */
function packOf(policies) {
  const folder = mkdtempSync(join(tmpdir(), "bench-pack-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "PulumiPolicy.yaml"), "runtime: nodejs\n");
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "version": "1.0.0", "main": "index.js" }');
  writeFileSync(
    join(folder, "index.js"),
    `new (require("@pulumi/policy").PolicyPack)("empty", { policies: [${policies.join()}] });`,
  );
  return folder;
}

/** The judgement of the offline plan, bundled as the tool has it. */
async function judgement() {
  const folder = mkdtempSync(join(tmpdir(), "bench-judge-"));
  const outfile = join(folder, "judge.cjs");
  const contents = 'export { judge } from "./policies/engine/judge"; export { packs } from "./policies/packs";';
  await esbuild.build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    nodePaths: [join(root, "node_modules")],
  });
  const { judge, packs } = require(outfile);
  rmSync(folder, { recursive: true });
  return (pack, seen) => {
    const start = process.hrtime.bigint();
    judge(packs[pack], seen);
    return since(start);
  };
}

const peers = { "one empty policy": packOf([emptyPolicy]), "five rules": packOf(fivePolicies) };
const folders = { ...peers };
for (const pack of ["lab", "shared", "audit"]) folders[pack] = join(root, "policies/packs", pack);
const judge = await judgement();
const requests = resources.map(request);
const large = request(resource(1, 128 * 1024));
const rows = [];
let exceeded = false;
for (const [name, folder] of Object.entries(folders)) {
  const [ports, remediate, all, one, inProcess] = [[], [], [], [], []];
  for (let run = 0; run <= runs; run++) {
    const pack = await serve(folder);
    await analysis(pack, requests.slice(0, 50)); // the first calls compile
    const ms = [
      pack.ms,
      await remediation(pack, requests),
      await analysis(pack, requests),
      await timed(() => pack.call("analyze", large)),
    ];
    pack.stop();
    if (run === 0) continue;
    [ports, remediate, all, one].forEach((list, index) => list.push(ms[index]));
    if (!(name in peers)) inProcess.push(judge(name, resources));
  }
  rows.push({
    name,
    port: median(ports),
    remediate: median(remediate),
    grpc: median(all),
    inProcess: median(inProcess),
    large: median(one),
  });
}
for (const folder of Object.values(peers)) rmSync(folder, { recursive: true });

console.log(`${runs} runs after one that is not counted, on Node ${process.version}; medians in ms\n`);
console.log(
  `${"pack".padEnd(26)} ${["to port", "1,000 Remediate", "1,000 over gRPC", "1,000 in process", "one of 128 kB"].map((head) => head.padStart(18)).join("")}`,
);
for (const { name, ...figures } of rows) {
  const values = ["port", "remediate", "grpc", "inProcess", "large"].map((key) =>
    (figures[key] === undefined ? "-" : figures[key].toFixed(0)).padStart(18),
  );
  console.log(`${name.padEnd(26)} ${values.join("")}`);
  if (!(name in peers)) exceeded ||= Object.entries(budgets).some(([key, most]) => figures[key] > most);
}
console.log(
  `\nbudgets: ${Object.values(budgets)
    .map((ms) => `${ms} ms`)
    .join(", ")}: ${exceeded ? "EXCEEDED" : "kept"}`,
);
process.exitCode = exceeded ? 1 : 0;
