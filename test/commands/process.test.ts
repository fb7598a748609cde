import { spawn, spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { types } from "../../simulation/aws/types";
import { serveAccount } from "../../simulation/http/account-server";
import { useAws } from "../support/aws-environment";
import { clusterForNodes, gpuInputs, makeGroup } from "../simulation/aws/eks/foundation";
import { folder } from "../support/files";
import { foreignProject } from "../support/foreign-project";
import { ownProject } from "../support/own-project";
import { saySkipped } from "../support/skips";

/** The built tool as a process: `npm test` builds it first. */
function run(args: readonly string[], cwd = ownProject) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(process.cwd(), "dist/cli.js"), ...args], {
    cwd,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("--version is the package's", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(run(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("--help lists the commands, and a command its options", () => {
  expect(run(["--help"])).toMatchObject({ status: 0, stdout: expect.stringMatching(/plan {2,}show/) as string });
  const plan = run(["plan", "--help"]).stdout;
  for (const option of ["stack", "all", "config", "pack", "json", "markdown", "diagram", "against"]) {
    expect(plan).toContain(`--${option}`);
  }
});

test("as a plugin of kubectl, the tool has this name in its help", () => {
  const bin = folder({});
  symlinkSync(join(process.cwd(), "dist/cli.js"), join(bin, "kubectl-gpu_lab"));
  const plugin = (...args: string[]) =>
    spawnSync(process.execPath, [join(bin, "kubectl-gpu_lab"), ...args], { encoding: "utf8" });
  expect(plugin("help", "triage").stdout).toMatch(/^usage: kubectl gpu-lab triage \[pod\|node\] /);
  expect(plugin("--help").stdout).not.toContain("eks-gpu-lab ");
  expect(run(["triage", "--help"]).stdout).toMatch(/^usage: eks-gpu-lab triage /);
});

test("help shows the same as --help, and rejects what is not a command", () => {
  expect(run(["help"])).toEqual(run(["--help"]));
  expect(run(["help", "plan"])).toEqual(run(["plan", "--help"]));
  expect(run(["help", "plam"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("did you mean plan?") as string,
  });
});

/** The commands of the help text. */
const commands = [...run(["--help"]).stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, command]) => command ?? "");

const helps = new Map<string, string>();

/** The help of a command, which is read once. */
function helpOf(command: string): string {
  const help = helps.get(command) ?? run([command, "--help"]).stdout;
  helps.set(command, help);
  return help;
}

test("no line of a help is longer than 100 characters", () => {
  const all = [run(["--help"]).stdout, ...commands.map(helpOf)];
  const lines = all.flatMap((help) => help.split("\n"));
  expect(lines.length).toBeGreaterThan(150);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
});

test.for([
  [[], /^usage: eks-gpu-lab/],
  [["plam"], /^command: got "plam"\. Is not a command\.\n {2}fix: did you mean plan\?\n\nusage/],
] as const)("%s is wrong input", ([args, expected]) => {
  const { status, stdout, stderr } = run(args);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(expected);
});

test("an error in a callback of a program is reported with its place", () => {
  const cwd = foreignProject(
    'import { output } from "@pulumi/pulumi";\nsetTimeout(() => {\n  throw new Error("too late");\n});\nexport = () => output(new Promise(() => {}));',
  );
  const { status, stderr } = run(["plan"], cwd);
  expect(status).toBe(3);
  expect(stderr).toMatch(/^eks-gpu-lab plan failed\nError: too late\n {4}at .*index\.ts:3:9\)?\n$/);
});

/** The packages whose modules the tool has loaded when it ends. */
function packagesLoadedBy(args: readonly string[], cwd = ownProject): Set<string> {
  const dir = folder({
    "loaded.cjs": `process.on("exit", () =>
      require("fs").writeFileSync(__dirname + "/loaded.json", JSON.stringify(Object.keys(require.cache))));`,
  });
  const tool = join(process.cwd(), "dist/cli.js");
  const { status, stderr } = spawnSync(process.execPath, ["-r", join(dir, "loaded.cjs"), tool, ...args], { cwd });
  expect(status, String(stderr)).toBe(0);
  const files = JSON.parse(readFileSync(join(dir, "loaded.json"), "utf8")) as string[];
  return new Set(files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
}

test("only what a command needs is loaded: no SDK for help, neither closure serializer nor simulation for a plan", () => {
  const forHelp = packagesLoadedBy(["--help"]);
  expect([...forHelp].filter((name) => name.startsWith("@"))).toEqual([]);
  for (const command of commands) {
    const forItsHelp = packagesLoadedBy([command, "--help"]);
    expect([...forItsHelp].filter((name) => name.startsWith("@"))).toEqual([]);
  }
  const forPlan = packagesLoadedBy(["plan"]);
  expect(forPlan).toContain("@pulumi/pulumi");
  for (const unused of ["typescript", "@npmcli/arborist", "@aws-sdk/client-eks"]) expect(forPlan).not.toContain(unused);
});

test("a program that serializes a function is planned: the serializer is loaded on demand", () => {
  const program = `
    const text = pulumi.output(pulumi.runtime.serializeFunction(() => 42)).apply(({ text }) => text);
    new pulumi.CustomResource("aws:s3/bucketObject:BucketObject", "code", { content: text });`;
  const { status, stdout, stderr } = run(["plan", "--json"], project(program));
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("=> 42");
});

/** A Pulumi project with this repository's packages. */
function project(program: string): string {
  const dir = folder({
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "Pulumi.dev.yaml": "config:\n  aws:region: us-east-1\n",
    "package.json": "{}",
    "index.ts": `import * as pulumi from "@pulumi/pulumi";\n${program}`,
  });
  symlinkSync(join(process.cwd(), "node_modules"), join(dir, "node_modules"));
  return dir;
}

test("what the program and a rule print goes to standard error, and the plan alone to standard output", () => {
  const dir = project('console.log("from the program"); setTimeout(() => console.log("from a timer"), 0);');
  symlinkSync(process.cwd(), join(dir, "own"));
  const pack = `
    import { lab, pack, resourceRule, serve } from "./own/policies";
    const rule = resourceRule({
      id: "prints", title: "It prints.", severity: "low", incident: "it printed", types: ["pulumi:pulumi:Stack"],
      *judge() { console.log("from a rule"); },
    });
    const rules = [{ rule, level: "advisory" }] as const;
    serve(pack({ name: "prints", version: "1.0.0", description: "", rules }));`;
  writeFileSync(join(dir, "pack.ts"), pack);
  const plan = ["plan", "--pack", "./pack.ts"];
  const json = run([...plan, "--json"], dir);
  const printed = json.stderr.trimEnd().split("\n").sort();
  expect([json.status, printed]).toEqual([0, ["from a rule", "from a timer", "from the program"]]);
  expect(JSON.parse(json.stdout)).toHaveProperty("steps");
  expect(run([...plan, "--markdown", "-"], dir).stdout).toMatch(/^### ✅ Plan of dev\n/);
});

test("an error inside an apply fails the plan, though other resources wait for its value", () => {
  const program = `
    const a = new pulumi.CustomResource("aws:s3/bucket:Bucket", "a", {
      name: pulumi.output("x").apply((): string => { throw new Error("inside an apply"); }),
    });
    new pulumi.CustomResource("aws:s3/bucket:Bucket", "b", { other: a.id });`;
  const { status, stderr } = run(["plan"], project(program));
  expect(status).toBe(3);
  expect(stderr).toContain("inside an apply");
});

/** The built tool with its standard output redirected by a shell. */
function runInShell(redirected: string) {
  const script = `set -o pipefail; "$0" dist/cli.js ${redirected}`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, process.execPath], {
    cwd: ownProject,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("a reader that closes the pipe early ends the tool quietly, with the status of the command", () => {
  expect(runInShell("plan --all --json | head -c 1")).toEqual({ status: 0, stdout: "[", stderr: "" });
});

test.for(["plan --json", "--version"])("%s to a full disk fails with one line", (args) => {
  const { status, stderr } = runInShell(`${args} > /dev/full`);
  expect(stderr).toMatch(/^eks-gpu-lab failed: standard output cannot be written: ENOSPC.*\n$/);
  expect(status).toBe(3);
});

const imports = 'import * as pulumi from "@pulumi/pulumi"; import * as ec2 from "@pulumi/aws/ec2";';
const never = "pulumi.output(new Promise<string>(() => undefined))";
const [net, subnet] = ["aws:ec2/vpc:Vpc net", "aws:ec2/subnet:Subnet subnet"];

test.for([
  ["a promise of its own", "export const never = new Promise(() => undefined);", "awaits another promise"],
  ["an input", `new ec2.Vpc("net", { cidrBlock: ${never} });`, `Without a result: ${net}.`],
  [
    "the output of a resource that waits",
    `const net = new ec2.Vpc("net", { cidrBlock: ${never} }); new ec2.Subnet("subnet", { vpcId: net.id });`,
    `Without a result: ${net}, ${subnet}.`,
  ],
  [
    "a dependency",
    `const net = new ec2.Vpc("net", { cidrBlock: ${never} }); new ec2.Subnet("subnet", { vpcId: "v" }, { dependsOn: net });`,
    `Without a result: ${net}, ${subnet}.`,
  ],
  ["an argument of a function", `ec2.getVpcOutput({ id: ${never} });`, "Without a result: aws:ec2/getVpc:getVpc."],
] as const)("a program that waits for %s, which never resolves, fails the plan and says so", ([, program, awaited]) => {
  const { status, stderr } = run(["plan"], project(`${imports} ${program}`));
  expect(status).toBe(3);
  expect(stderr).toContain(awaited);
  expect(stderr.match(/did not finish/g)).toHaveLength(1);
});

/** The built tool on a simulated account without capacity for GPU instances. Ends with what it printed. */
async function interruptedUp(command: (tool: readonly string[]) => readonly string[]) {
  const cloud = await clusterForNodes({ account: { soldOut: ["g5.xlarge"] } });
  await makeGroup(cloud, gpuInputs);
  const account = await serveAccount(cloud);
  onTestFinished(() => account.close());
  useAws(account.endpoint);
  const group = ["--cluster", "lab", "--nodegroup", "gpu", "--region", "us-east-1"];
  const [program = "", ...args] = command([process.execPath, "dist/cli.js", "gpu", "up", "1", ...group]);
  const child = spawn(program, args, { env: process.env });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  const waits = setInterval(() => {
    if (!`${out}${err}`.includes("instances running: 0 of 1")) return;
    clearInterval(waits);
    // A terminal sends Ctrl-C to the process in the foreground.
    if (program === process.execPath) child.kill("SIGINT");
    else child.stdin.write("\u0003");
  }, 20);
  const status = await new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  clearInterval(waits);
  const [sizes] = cloud.find(types.nodeGroup).map(({ inputs }) => inputs["scalingConfig"]);
  return { status, out, err, sizes };
}

test("gpu up, interrupted without a terminal: status 1, steps on lines of standard error, and the state", async () => {
  const { status, out, err, sizes } = await interruptedUp((tool) => tool);
  expect([status, sizes]).toEqual([1, { minSize: 0, maxSize: 4, desiredSize: 1 }]);
  expect(err).toMatch(
    /^reading the GPU nodes\nchecking the account\ninstances running: 0 of 1, nodes Ready: 0 of 1, EC2 has no capacity.*\n$/,
  );
  expect(out).toContain("Interrupted.\nThe group stays at desired size 1");
  expect(out).not.toContain("\u001b");
});

test("gpu up, interrupted by Ctrl-C on a pseudo-terminal: status 1, one line of steps, and the state", async ({
  skip,
}) => {
  const spawned = "import pty, sys, os; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
  if (spawnSync("python3", ["-c", "import pty, os; os.waitstatus_to_exitcode"]).status !== 0) {
    saySkipped("The test with a pseudo-terminal is skipped: it needs python3, 3.9 or newer");
    return skip("python3 is missing");
  }
  const { status, out } = await interruptedUp((tool) => ["python3", "-c", spawned, ...tool]);
  expect(status, out).toBe(1);
  expect(out).toContain("\r\u001b[2Kinstances running: 0 of 1, nodes Ready: 0 of 1, EC2 has no capacity");
  expect(stripVTControlCharacters(out)).toContain("Interrupted.\r\nThe group stays at desired size 1");
});

/** Processor time of a Node.js process, in milliseconds. Unlike the clock, it ignores other processes. */
function processorTime(args: readonly string[]): number {
  const hook =
    'process.on("exit", () => { const { user, system } = process.cpuUsage(); console.error(user + system); })';
  const dir = folder({ "time.cjs": hook });
  const { stderr } = spawnSync(process.execPath, ["-r", join(dir, "time.cjs"), ...args], { encoding: "utf8" });
  return Number(stderr) / 1000;
}

test.for(commands)(
  "the help of %s has examples, and takes at most 80 ms more than a bare Node.js process",
  (command) => {
    expect(helpOf(command)).toMatch(new RegExp(`\\nExamples:\\n(?: {2}eks-gpu-lab ${command}.*\\n)+`));
    const more = () => processorTime(["dist/cli.js", command, "--help"]) - processorTime(["-e", "0"]);
    // A busy machine makes a process slower: the best of three runs counts.
    let least = Infinity;
    for (let tries = 0; tries < 3 && least >= 80; tries++) least = Math.min(least, more());
    expect(least).toBeLessThan(80);
  },
);

/** The packages that a command has loaded when it ends. */
function packagesOf(args: readonly string[]): string[] {
  const hook = 'process.on("exit", () => console.error(Object.keys(require.cache).join("\\n")))';
  const dir = folder({ "loaded.cjs": hook });
  const { stderr } = spawnSync(process.execPath, ["-r", join(dir, "loaded.cjs"), "dist/cli.js", ...args], {
    encoding: "utf8",
  });
  const names = [...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name = ""]) => name);
  return [...new Set(names)];
}

test.for([
  ["drill", "--list"],
  ["triage", "--unknown"],
])("%j loads neither the AWS SDK nor Pulumi", (args) => {
  const packages = packagesOf(args);
  expect(packages.length).toBeGreaterThan(0);
  expect(packages.filter((name) => /^(?:@aws-sdk|@smithy|@pulumi)\//.test(name))).toEqual([]);
});
