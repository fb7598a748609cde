import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { instances, nodegroup } from "./session/support/answers";
import { useAws } from "../../support/aws-environment";
import { awsServer, expectValidExchanges, type Answers } from "../../support/aws-server";
import { runCli } from "../../support/cli";
import { folder } from "../../support/files";
import { usePulumi } from "../../support/fake-pulumi";
import { none } from "./support";
import { twoNodes } from "../../support/prices";

expectValidExchanges();

describe("the stack", () => {
  const outputs = {
    scaleUp:
      "aws eks update-nodegroup-config --region ap-northeast-2 --cluster-name myeks --nodegroup-name myeks-gpu --scaling-config minSize=0,maxSize=2,desiredSize=2",
    gpuNodes: 2,
    lease: "all GPU nodes are terminated every day at 22:00 Asia/Seoul",
    kubeconfig: "[secret]",
  };

  let credentials: string | undefined;
  let running = false;
  afterEach(() => {
    credentials = undefined;
    running = false;
  });

  /** Runs a command with a Pulumi CLI that prints this. */
  async function withPulumi(script: string, ...args: readonly string[]) {
    const account = { Account: "123456789012", Arn: "arn:aws:iam::123456789012:user/learner", UserId: "AIDAEXAMPLE" };
    const session: Answers = {
      DescribeNodegroup: () => nodegroup({ desired: 2 }),
      DescribeAutoScalingGroups: () => instances("InService", "InService"),
    };
    const group: Answers = running ? session : { DescribeNodegroup: () => nodegroup() };
    const aws = await awsServer({ ...none, ...group, GetCallerIdentity: () => account });
    useAws(aws.endpoint);
    usePulumi(script);
    if (credentials !== undefined) vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", credentials);
    return { ...(await runCli(["gpu", ...args])), operations: aws.operations };
  }

  /** A Pulumi CLI that knows the stack `dev`. */
  function stackDev(config: object = {}, deployment: object = {}, exported: object = outputs): string {
    return `case "$*" in
"stack output --json --stack dev --non-interactive") echo '${JSON.stringify(exported)}' ;;
"stack export --stack dev --non-interactive") echo '${JSON.stringify({ version: 3, deployment })}' ;;
"config --json --stack dev --non-interactive") echo '${JSON.stringify(config)}' ;;
*) exit 1 ;;
esac`;
  }

  const group = {
    ...{ urn: "urn:pulumi:dev::eks-gpu-lab::aws:eks/nodeGroup:NodeGroup::gpu", custom: true },
    ...{ type: "aws:eks/nodeGroup:NodeGroup", id: "myeks:myeks-gpu" },
    outputs: { arn: "arn:aws:eks:ap-northeast-2:210987654321:nodegroup/myeks/myeks-gpu/1" },
  };

  test.for([
    ["its state", () => stackDev({}, { resources: [group] })],
    ["the cluster that it uses", () => stackDev({}, {}, { ...outputs, account: "210987654321" })],
  ] as const)("credentials of another account than that of %s are refused", async ([, scriptOf]) => {
    const script = scriptOf();
    const { status, err, operations } = await withPulumi(script, "down", "--stack", "dev");
    expect(status).toBe(2);
    expect(err).toContain(
      'the AWS account: got "123456789012". The resources of the stack are in the account 210987654321',
    );
    expect(err).toContain("fix: set AWS_PROFILE to a profile of the account 210987654321");
    expect(operations).toEqual(["GetCallerIdentity"]);
  });

  test("the credentials are those of its profile, which the commands name, too", async () => {
    const script = stackDev({ "aws:profile": { value: "lab" } });
    const { status, err } = await withPulumi(script, "status", "--stack", "dev");
    expect([status, err]).toEqual([
      2,
      expect.stringContaining("The profile lab does not exist, or has no usable credentials"),
    ]);
    const files = folder({ credentials: "[lab]\naws_access_key_id = AKIA\naws_secret_access_key = never-printed\n" });
    credentials = join(files, "credentials");
    const shown = await withPulumi(script, "up", "--dry-run", "--stack", "dev");
    expect(shown.status, shown.err).toBe(0);
  });

  test("its outputs name the group, the region and the number of nodes", async () => {
    const { status, out, err } = await withPulumi(stackDev(), "up", "--dry-run", "--stack", "dev");
    expect(status, err).toBe(0);
    expect(out).toContain("GPU node group myeks/myeks-gpu in ap-northeast-2");
    expect(out).toContain(`2 GPU nodes: ${twoNodes("g5.xlarge")} USD per hour`);
  });

  test("the selected stack is named, also in a problem", async () => {
    const script = (text: object) => `case "$*" in *show-name*) echo dev ;; *) echo '${JSON.stringify(text)}' ;; esac`;
    const { out } = await withPulumi(script(outputs), "down", "--dry-run");
    expect(out).toContain("GPU node group myeks/myeks-gpu");
    expect((await withPulumi(script({}), "status")).err).toContain('--stack: got "dev". The stack dev exports neither');
  });

  test("the command that ends the session names it, so that the end of the session is removed, too", async () => {
    running = true;
    const { status, out } = await withPulumi(
      stackDev({ "aws:region": { value: "eu-west-1" } }),
      "up",
      "2",
      "--stack",
      "dev",
    );
    expect([status, out], out).toEqual([
      0,
      expect.stringContaining("To end it:\n  npx eks-gpu-lab gpu down --stack dev\n\n2 GPU nodes: "),
    ]);
  });

  test("its lease is shown", async () => {
    const script = `echo '${JSON.stringify(outputs)}'`;
    expect((await withPulumi(script, "status")).out).toMatch(
      /^ {2}lease +all GPU nodes are terminated every day at 22:00 Asia\/Seoul$/m,
    );
    const { out } = await withPulumi(script, "status", "--json");
    expect(JSON.parse(out)).toMatchObject({ lease: outputs.lease });
  });

  test.for([
    ["that has the cluster", { ...outputs, clusterName: "myeks" }, "fix: "],
    ["on a shared cluster", outputs, "fix: in the stack that has the cluster: "],
  ] as const)("%s: the limit is raised in the configuration, and no session ends", async ([, own, where]) => {
    const { err } = await withPulumi(`echo '${JSON.stringify(own)}'`, "up", "3");
    expect(err).toContain(`${where}pulumi config set --path gpuNodes.maxSize 3 && pulumi up --refresh\n`);
  });

  test.for([
    ["echo 'error: no stack named dev found' >&2; exit 255", "pulumi stack output fails: no stack named dev found"],
    [
      "echo '{}'",
      '--stack: got "dev". The stack dev exports neither clusterName and gpuNodeGroupName nor scaleUp.\n' +
        "    fix: run pulumi up --stack dev first, ",
    ],
    ["echo no", "does not print a JSON object"],
  ])("%s is wrong input", async ([script = "", expected]) => {
    expect(await withPulumi(script, "status", "--stack", "dev")).toMatchObject({
      status: 2,
      err: expect.stringContaining(expected ?? "") as string,
    });
  });

  const elsewhere = "use --cluster, --nodegroup and --region";
  test.for([
    ["PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions", "sign in with pulumi login,"],
    ["no stack selected; please use `pulumi stack select`", "run pulumi stack select NAME, or use --stack NAME"],
    ["no Pulumi.yaml project file found (searching upwards from /)", `cd into the project, or ${elsewhere}`],
    ["no stack named 'dev' found", `name a stack from pulumi stack ls with --stack, or ${elsewhere}`],
  ])("%s has its own fix", async ([error = "", fix]) => {
    const { err } = await withPulumi(`cat >&2 <<'END'\nerror: ${error}\nEND\nexit 255`, "status");
    expect(err).toContain(`fix: ${fix}`);
  });

  test("without the Pulumi CLI, the options are named", async () => {
    vi.stubEnv("PATH", "/nonexistent");
    const { status, err } = await runCli(["gpu", "status"]);
    vi.unstubAllEnvs();
    expect([status, err.includes("or use --cluster, --nodegroup and --region")]).toEqual([2, true]);
  });
});
