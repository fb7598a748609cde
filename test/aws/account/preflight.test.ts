import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Console } from "../../../commands/core/command";
import { compatibilityRules, runPreflight } from "../../../commands/preflight/preflight";
import { preflightChecks } from "../../../components/preflight/preflight-checks";
import { lab } from "../../../policies/packs/lab/rules";
import { secretKey, sessionToken, useAws } from "../../support/aws-environment";
import { awsServer, expectValidExchanges, failure, type Answers, type AwsServer } from "../../support/aws-server";
import { captured, runCli } from "../../support/cli";
import { usePulumi } from "../../support/fake-pulumi";
import { folder } from "../../support/files";
import {
  addon,
  decisions,
  fineAccount,
  identity,
  instances,
  nodeGroup,
  offerings,
  quota,
  subnets,
  zones,
} from "./support/answers";

const own = ["--stack", "gpu-lab", "--config", 'publicAccessCidrs=["8.8.8.8/32"]', "--address", "8.8.8.8"];
interface Result {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly aws: AwsServer;
}

expectValidExchanges();

/** Runs the command on the default account with these answers. */
async function preflight(
  answers: Answers = {},
  args: readonly string[] = own,
  overrides: Partial<Console> = {},
  pulumi?: string,
): Promise<Result> {
  const aws = await awsServer({ ...fineAccount, ...answers });
  useAws(aws.endpoint);
  // Without the Pulumi CLI, the state of the stack is not known.
  if (pulumi === undefined) vi.stubEnv("PATH", "/nowhere");
  else usePulumi(pulumi);
  const run = (console: Console) => runPreflight(args, console, "http://127.0.0.1:1/");
  const { status, out, err } = await captured(run, overrides);
  expect(out + err).not.toContain(secretKey);
  expect(out + err).not.toContain(sessionToken);
  return { status, out, err, aws };
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly problems: readonly { readonly path: string; readonly why: string; readonly fix: string }[];
  readonly warnings: readonly string[];
  readonly violations: readonly { readonly rule: string }[];
}

/** The checks that are not ok, as JSON shows them. */
async function checks(answers: Answers, more: readonly string[] = []) {
  const { status, out, err } = await preflight(answers, [...own, ...more, "--json"]);
  expect(err).toBe("");
  const document = JSON.parse(out) as { outcome: string; environments: { checks: Check[] }[]; notes: string[] };
  const all = document.environments.flatMap((environment) => environment.checks);
  const check = (id: string) => all.find((one) => one.id === id);
  const is = (status: string) => all.filter((one) => one.status === status).map(({ id }) => id);
  return {
    status,
    document,
    check,
    problems: is("problem"),
    warnings: is("warning"),
    skipped: is("skipped"),
    unread: is("unread"),
  };
}

const notNeeded = ["subnet", "secrets-key", "alarm-topics", "sizes", "second-groups", "health", "leftovers", "changes"];

test("without --stack, the selected stack of the Pulumi CLI is checked", async () => {
  const pulumi = '[ "$*" = "stack --show-name --non-interactive" ] && echo runtime-socket';
  const { out, err } = await preflight({}, own.slice(2), {}, pulumi);
  expect(out, err).toContain("Preflight of stack runtime-socket in ap-northeast-2");
});

test("a stack whose resources are in another account is refused", async () => {
  const arn = "arn:aws:eks:ap-northeast-2:210987654321:cluster/myeks";
  const urn = "urn:pulumi:gpu-lab::eks-gpu-lab::aws:eks/cluster:Cluster::cluster";
  const resource = { urn, type: "aws:eks/cluster:Cluster", custom: true, id: "myeks", outputs: { arn } };
  const pulumi = `case "$1 $2" in
"stack export") echo '${JSON.stringify({ version: 3, deployment: { resources: [resource] } })}' ;;
"config --json") echo '{}' ;;
"stack --show-name") echo organization/eks-gpu-lab/gpu-lab ;;
esac`;
  const { status, err } = await preflight({}, own, {}, pulumi);
  expect([status, err]).toEqual([2, expect.stringContaining("are in the account 210987654321, but the credentials")]);
});

test("an add-on whose creation failed is a problem with the way out, also without the state", async () => {
  const { check } = await checks({
    ListClusters: () => ({ clusters: ["myeks"] }),
    ListNodegroups: () => ({ nodegroups: ["myeks-gpu-1"] }),
    DescribeNodegroup: () => nodeGroup({ cluster: "myeks", name: "myeks-gpu-1" }),
    ListAddons: () => ({ addons: ["vpc-cni"] }),
    DescribeAddon: () => ({ addon: { addonName: "vpc-cni", status: "CREATE_FAILED", health: { issues: [] } } }),
  });
  expect(check("names")).toMatchObject({
    status: "skipped",
    reason: expect.stringContaining("myeks exists") as string,
  });
  const fix = expect.stringContaining("pulumi up --target-replace URN") as string;
  expect(check("health")?.problems).toEqual([expect.objectContaining({ path: "addons.vpc-cni", fix })]);
});

describe("the report", () => {
  test("0, and each check with its result, where everything fits", async () => {
    const { status, out, err } = await preflight();
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatchInlineSnapshot(`
      "Preflight of stack gpu-lab in ap-northeast-2
        account 123456789012, as arn:aws:iam::123456789012:user/learner

        ok       zones of the network
        ok       GPU instance type in its zone
        ok       system instance type in all zones
        ok       vCPU quota of the GPU nodes
        ok       AMI releases
        ok       add-on versions
        ok       admins of the cluster
        ok       your address in publicAccessCidrs
        skipped  free addresses for GPU nodes: Not needed: the environment creates its subnets.
        ok       names that are free
        skipped  region of the Secrets key: Not needed: the environment does not name a key.
        skipped  region of the alarm topics: Not needed: the lease does not name a topic.
        skipped  sizes of running node groups: Not needed: the cluster does not exist yet.
        skipped  second node groups: Not needed: the cluster does not exist yet.
        skipped  state of node groups and add-ons: Not needed: the cluster does not exist yet.
        skipped  leftovers of an interrupted update: The state of the stack is not known: The Pulumi CLI
                 is not installed, or not on your PATH. The command needs it to read the stack.
        skipped  changes of the running environment: Not needed: the cluster does not exist yet.
        ok       IAM permissions
        ok       chart, Kubernetes, driver and AMI

      19 checks: 0 problems, 0 warnings, 8 skipped
      "
    `);
  });

  test("1 with a problem: its key, value, reason and fix; the fix is on one line to be copied", async () => {
    const { status, out } = await preflight({ GetServiceQuota: () => quota(0) });
    expect(status).toBe(1);
    expect(out).toMatch(/^ {2}problem {2}vCPU quota of the GPU nodes$/m);
    expect(out).toContain("The account's quota L-DB2E81BA is 0 vCPU, as in new");
    expect(out).toMatch(
      /^ +fix: request a quota of 8 vCPU: aws service-quotas .* --desired-value 8 --region ap-northeast-2$/m,
    );
    expect(out).toContain("19 checks: 1 problem, 0 warnings, 8 skipped");
  });

  test("docs/preflight.md quotes the problem of a quota that is too small", async () => {
    const { out } = await preflight({ GetServiceQuota: () => quota(4) });
    const [, quoted = "no quote"] = /```text\n(gpuNodes[^]*?)```/.exec(readFileSync("docs/preflight.md", "utf8")) ?? [];
    expect(out.replaceAll(/\s+/g, " ")).toContain(quoted.trim());
  });

  test("on a terminal, the steps share a line that is empty at the end; colors add no information", async () => {
    vi.stubEnv("FORCE_COLOR", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { err, out } = await preflight({}, own, { terminal: { isTTY: true, columns: 60 } });
    expect(err).toContain("\r\u001b[2Kreading the account ...");
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
    const plain = stripVTControlCharacters(out);
    expect(plain.split("\n").every((line) => line.length <= 60)).toBe(true);
    expect(plain).toContain("19 checks: 0 problems, 0 warnings, 8 skipped");
  });

  test("JSON has every check, the identity and the region", async () => {
    const { document, status } = await checks({});
    expect(status).toBe(0);
    expect(document).toMatchObject({
      ...{ kind: "Preflight", version: 1, outcome: "ok", stack: "gpu-lab", region: "ap-northeast-2" },
      ...{ account: "123456789012", caller: "arn:aws:iam::123456789012:user/learner", notes: [] },
      environments: [{ name: "gpu-lab", clusterName: "myeks" }],
    });
    const [environment] = document.environments;
    expect(environment?.checks.map(({ id }) => id)).toEqual([...preflightChecks.map(({ id }) => id), "compatibility"]);
  });
});

describe("the checks", () => {
  const cluster = (...groups: readonly Parameters<typeof nodeGroup>[0][]): Answers => ({
    ListClusters: () => ({ clusters: [...new Set(groups.map((group) => group.cluster))] }),
    ListNodegroups: (params) => ({
      nodegroups: groups.filter((group) => group.cluster === params["cluster"]).map(({ name }) => name),
    }),
    DescribeNodegroup: ({ cluster: name, group: wanted }) =>
      nodeGroup(groups.find((group) => group.cluster === name && group.name === wanted) ?? { cluster: "", name: "" }),
  });
  const ours = { "eks:cluster-name": "myeks", "eks:nodegroup-name": "myeks-gpu-1" };

  test.for<[string, Answers, string[], string[]]>([
    [
      "a type that its zone lacks",
      { DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "b"], ["t3.medium", "abc"]) },
      ["gpu-type"],
      [],
    ],
    [
      "a system type that a zone lacks",
      { DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "a"], ["t3.medium", "ab"]) },
      ["system-type"],
      [],
    ],
    ["other instances take the quota", { DescribeInstances: () => instances({ type: "g6.xlarge" }) }, ["quota"], []],
    [
      "what the catalog does not know counts by its cores",
      { DescribeInstances: () => instances({ type: "g3s.xlarge", cores: 2 }) },
      ["quota"],
      [],
    ],
    [
      "spot instances and the group's own do not count",
      { DescribeInstances: () => instances({ type: "g5.xlarge", spot: true }, { type: "g5.xlarge", tags: ours }) },
      [],
      [],
    ],
    ["other groups may start nodes", cluster({ cluster: "other", name: "gpu" }), [], ["quota"]],
    ["the group's own nodes are no others", cluster({ cluster: "myeks", name: "myeks-gpu-1" }), [], []],
    [
      "a running group in a full subnet",
      { ...cluster({ cluster: "myeks", name: "myeks-gpu-1" }), DescribeSubnets: () => subnets(59) },
      ["subnet"],
      [],
    ],
    ["limits below the nodes", cluster({ cluster: "myeks", name: "myeks-gpu-1", desired: 3, max: 4 }), ["sizes"], []],
    [
      "a second node group that an interrupted update left",
      cluster(
        { cluster: "myeks", name: "myeks-gpu-20260101000000000000000017" },
        { cluster: "myeks", name: "myeks-gpu-20260102000000000000000018" },
      ),
      [],
      ["second-groups"],
    ],
    ["an unpublished release", { GetParameter: () => failure("ParameterNotFound", 400, "not found") }, ["ami"], []],
    [
      "an add-on version that is not offered",
      { DescribeAddonVersions: ({ addonName }) => addon(String(addonName), "v9.9.9-eksbuild.9") },
      ["addons"],
      [],
    ],
    [
      "a log group of a deleted cluster",
      {
        DescribeLogGroups: () => ({
          logGroups: [
            {
              logGroupName: "/aws/eks/myeks/cluster",
              logGroupArn: "arn:aws:logs:ap-northeast-2:123456789012:log-group:/aws/eks/myeks/cluster",
            },
          ],
        }),
        ListTagsForResource: () => ({ tags: { team: "a" } }),
      },
      ["names"],
      [],
    ],
    [
      "an action that is denied",
      {
        SimulatePrincipalPolicy: (params) =>
          decisions(params, (action) => (action === "eks:CreateCluster" ? "explicitDeny" : "allowed")),
      },
      ["permissions"],
      [],
    ],
    [
      "an action that no policy grants everywhere",
      {
        SimulatePrincipalPolicy: (params) =>
          decisions(params, (action) => (action === "iam:PassRole" ? "implicitDeny" : "allowed")),
      },
      [],
      ["permissions"],
    ],
  ])("%s", async ([, answers, problems, warnings]) => {
    const result = await checks(answers);
    expect([result.problems, result.warnings]).toEqual([problems, warnings]);
    expect(result.status).toBe(problems.length > 0 ? 1 : 0);
  });

  test("the creator among the admins, also as an assumed role with a path", async () => {
    const role = "arn:aws:iam::123456789012:role/team/deployer";
    const answers: Answers = {
      GetCallerIdentity: () => identity("assumed-role/deployer/me"),
      GetRole: () => ({
        Role: {
          ...{ Path: "/team/", RoleName: "deployer", RoleId: "AROAEXAMPLEEXAMPLE", Arn: role },
          CreateDate: "2026-01-01T00:00:00Z",
        },
      }),
    };
    const { check, document } = await checks(answers, ["--config", `admins=["${role}"]`]);
    expect(document).toMatchObject({ caller: role });
    expect(check("admins")?.problems).toMatchObject([{ path: "admins[0]" }]);
  });

  test("the address must be inside, and offline it is unread", async () => {
    const outside = await preflight({}, [...own.slice(0, -1), "9.9.9.9"]);
    expect([outside.status, outside.out]).toEqual([1, expect.stringContaining("9.9.9.9/32")]);
    const offline = await preflight({}, own.slice(0, -2));
    expect(offline.status).toBe(2);
    expect(offline.out).toContain("8 skipped, 1 could not be read");
    expect(offline.out).toMatch(/unread {3}your address in publicAccessCidrs: http\S+ cannot be reached/);
  });

  test("zones that the account lacks are a problem with its fix, and the other checks are made", async () => {
    const config = ["a", "c"].flatMap((zone, at) => ["--config", `network.zones[${at}]=ap-northeast-2${zone}`]);
    const answers = {
      DescribeAvailabilityZones: () => zones("a", "b"),
      DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "ab"], ["t3.medium", "ab"]),
    };
    const { status, problems, check } = await checks(answers, config);
    expect([status, problems]).toEqual([1, ["zones", "system-type"]]);
    expect(check("zones")?.problems).toEqual([
      expect.objectContaining({
        ...{ path: "network.zones[1]", got: "ap-northeast-2c", why: "The zone is not available to this account." },
        fix: "use one of ap-northeast-2a, ap-northeast-2b",
      }),
    ]);
    expect(check("quota")?.status).toBe("ok");
  });

  test("zones by default are those of the account", async () => {
    const { problems } = await checks({
      DescribeAvailabilityZones: () => zones("b", "c", "d"),
      DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "b"], ["t3.medium", "bcd"]),
    });
    expect(problems).toEqual([]);
  });

  test("a quota that was never changed has AWS's default", async () => {
    const { check } = await checks({
      GetServiceQuota: () => failure("NoSuchResourceException", 400, "none"),
      GetAWSDefaultServiceQuota: () => quota(0),
    });
    expect(check("quota")?.problems).toMatchObject([{ path: "gpuNodes.maxSize" }]);
  });

  test("a program of another project: its environment, and a chart that does not fit the Kubernetes version", async () => {
    const dir = folder({
      "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
      "Pulumi.dev.yaml": "config:\n  aws:region: ap-northeast-2\n",
      "package.json": "{}",
      "index.ts": `
        import { Release } from "@pulumi/kubernetes/helm/v3";
        import { GpuEnvironment } from "${process.cwd()}/components";
        new GpuEnvironment("shop", { publicAccessCidrs: ["8.8.8.8/32"] });
        new Release("operator", {
          chart: "gpu-operator",
          version: "v25.10.0",
          repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
          values: { driver: { enabled: false }, toolkit: { enabled: false } },
        });`,
    });
    symlinkSync(join(process.cwd(), "node_modules"), join(dir, "node_modules"));
    const { status, out } = await preflight({}, ["--address", "8.8.8.8"], { cwd: dir });
    expect(status).toBe(1);
    expect(out).toMatch(/^ {2}problem {2}chart, Kubernetes, driver and AMI\n +gpu-operator-k8s-compat, operator: /m);
    expect(out).toContain("19 checks: 1 problem");
  });

  test("the rules about compatibility exist", () => {
    const ids = lab.rules.map(({ rule }) => rule.id);
    for (const rule of compatibilityRules) expect(ids).toContain(rule);
  });
});

describe("what AWS does not answer", () => {
  const denied = failure("AccessDenied", 403, "User is not authorized");
  const jsonDenied = failure("AccessDeniedException", 403, "User is not authorized");

  test("missing permissions leave their checks unread with the reason, and are no approval", async () => {
    const ec2 = failure("UnauthorizedOperation", 403, "You are not authorized");
    const { status, skipped, unread, check, document } = await checks({
      ...Object.fromEntries(
        ["DescribeAvailabilityZones", "DescribeInstanceTypeOfferings", "DescribeInstances"].map((name) => [
          name,
          () => ec2,
        ]),
      ),
      ...Object.fromEntries(
        ["ListClusters", "GetServiceQuota", "GetParameter", "DescribeAddonVersions"].map((name) => [
          name,
          () => jsonDenied,
        ]),
      ),
      SimulatePrincipalPolicy: () => denied,
    });
    expect([status, document.outcome]).toEqual([2, "unread"]);
    const made = ["address", "secrets-key", "alarm-topics", "leftovers", "changes"];
    expect(unread).toEqual(preflightChecks.map(({ id }) => id).filter((id) => !made.includes(id)));
    expect(skipped).toEqual(["secrets-key", "alarm-topics", "leftovers", "changes"]);
    expect(check("permissions")?.reason).toBe("The permission iam:SimulatePrincipalPolicy is missing.");
    expect(check("gpu-type")?.reason).toBe("The permission ec2:DescribeAvailabilityZones is missing.");
    expect(check("quota")?.reason).toBe("The permission servicequotas:GetServiceQuota is missing.");
  });

  test("node groups of another cluster that may not be read are a note", async () => {
    const { document, status } = await checks({
      ListClusters: () => ({ clusters: ["secret"] }),
      ListNodegroups: () => jsonDenied,
    });
    expect(status).toBe(0);
    expect(document.notes).toEqual([
      "The node groups of the cluster secret are not counted: The permission eks:ListNodegroups is missing.",
    ]);
  });

  test("what NodePools of other clusters may start is a note", async () => {
    const { document, check } = await checks({
      ListClusters: () => ({ clusters: ["a", "myeks", "b"] }),
      ListNodegroups: () => ({ nodegroups: [] }),
    });
    expect(check("quota")?.status).toBe("ok");
    expect(document.notes).toEqual([
      "Not counted against the quota: nodes that NodePools of other clusters may start (a, b).",
    ]);
  });

  test("a short throttling is ridden out, a long one leaves its check unread", async () => {
    const throttled = failure("ThrottlingException", 400, "Rate exceeded");
    const short = await checks({ GetServiceQuota: (_, count) => (count < 3 ? throttled : quota(8)) });
    expect(short.skipped).toEqual(notNeeded);
    const long = await checks({ GetServiceQuota: () => throttled });
    expect([long.skipped, long.unread]).toEqual([notNeeded, ["quota"]]);
    expect(long.check("quota")?.reason).toBe("AWS throttles the requests of this account.");
  });

  test.for<[string, Answers, string]>([
    [
      "expired credentials",
      { GetCallerIdentity: () => failure("ExpiredToken", 403, "expired") },
      "credentials have expired",
    ],
    ["a network that is lost at once", { GetCallerIdentity: () => "lost" }, "AWS cannot be reached"],
    ["a network that is lost later", { GetParameter: () => "lost" }, "AWS cannot be reached"],
    [
      "credentials that a region rejects",
      { DescribeInstances: () => failure("AuthFailure", 401, "no") },
      "not valid in this region",
    ],
  ])("%s: 2, with action and fix", async ([, answers, expected]) => {
    const { status, out, err } = await preflight(answers);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(expected);
    expect(err).toMatch(/fix: (?:sign in|check the network)/);
  });

  test("wrong region: one that does not exist", async () => {
    useAws("http://127.0.0.1:1");
    vi.stubEnv("AWS_ENDPOINT_URL", undefined);
    const { status, err } = await runCli([
      ...["preflight", ...own, "--config", "aws:region=xx-nowhere-1", "--config", "aws:skipRegionValidation=true"],
    ]);
    expect([status, err]).toEqual([2, expect.stringMatching(/the region does not exist|cannot be reached/)]);
  });

  test("no credentials", async () => {
    useAws("http://127.0.0.1:1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    const { status, err } = await runCli(["preflight", ...own]);
    expect([status, err]).toEqual([2, expect.stringContaining("No usable credentials")]);
  });

  test("the problems of the configuration come first, also without credentials", async () => {
    useAws("http://127.0.0.1:1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    const wrong = ["--config", "bogus=1", "--config", "gpuNodes.maxSize=-1"];
    const { status, err } = await runCli(["preflight", ...own, ...wrong]);
    expect(status).toBe(2);
    const at = ['bogus: got "1"', "gpuNodes.maxSize: got -1", "AWS credentials: "].map((text) => err.indexOf(text));
    expect(at, err).not.toContain(-1);
    expect(Math.max(...at)).toBe(at[2]);
  });
});

describe("the input", () => {
  test("every problem of options, stack and configuration is reported at once", async () => {
    const { status, err } = await preflight({}, ["--address", "1.2.3", "--config", "foo", "--stack", "#"]);
    expect(status).toBe(2);
    expect([...err.matchAll(/^ {2}(\S+): got /gm)].map(([, path]) => path)).toEqual([
      "--address",
      "--stack",
      "--config",
    ]);
  });

  test("a wrong region hides no other problem", async () => {
    const wrong = ["--config", "aws:region=mars", "--config", "ncl=blocked"];
    const { status, err } = await preflight({}, ["--stack", "gpu-lab", ...wrong]);
    expect(status).toBe(2);
    expect(err).toMatch(/^2 problems with stack gpu-lab:\n {2}aws:region: got "mars"[^]*\n {2}eks-gpu-lab:ncl: /);
  });

  test("the value after a misspelt option is no problem of its own", async () => {
    const { err } = await preflight({}, ["--adress", "1.2.3.4"]);
    expect(err).toMatch(
      /1 problem with the command line:\n {2}--adress: Unknown option\.\n +fix: did you mean --address\?\n$/,
    );
  });

  test.for([
    [["--address", "1.2.3"], "Must be one IPv4 address."],
    [["--stak", "x"], "did you mean --stack?"],
    [["--stack", "gpu-lab", "--config", "gpuNodes.maxSize=-1"], "gpuNodes.maxSize: got -1"],
    [
      ["--stack", "device-plugin", "--config", "environment=organization/eks-gpu-lab/gpu-lab"],
      "does not create a GpuEnvironment",
    ],
  ] as const)("%j is wrong", async ([args, expected]) => {
    const { status, err } = await preflight({}, args);
    expect([status, err]).toEqual([2, expect.stringContaining(expected)]);
  });

  test("the built tool keeps the reader of accounts out of the bundle of the plan", () => {
    const bundle = (name: string) => readFileSync(join("dist", `${name}.js`), "utf8");
    expect(bundle("cli")).not.toContain("sts:GetCallerIdentity");
    expect(bundle("commands")).toContain("sts:GetCallerIdentity");
  });

  test("a folder without a project", async () => {
    const { status, err } = await preflight({}, [], { cwd: folder({}) });
    expect([status, err]).toEqual([2, expect.stringContaining("Pulumi.yaml")]);
  });
});
