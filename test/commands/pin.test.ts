import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readChart } from "../../aws/account/versions";
import type { Console } from "../../commands/core/command";
import { runPin } from "../../commands/pin/pin";
import {
  amiReleases,
  gpuOperatorChart,
  kubePrometheusStackChart,
  kubernetesVersion,
  loadBalancerControllerChart,
  pinnedAddons,
} from "../../components/core/versions";
import { secretKey, sessionToken, useAws } from "../support/aws-environment";
import { awsServer, expectValidExchanges, failure, type Answers } from "../support/aws-server";
import { captured, runCli } from "../support/cli";
import { usePulumi } from "../support/fake-pulumi";
import { folder } from "../support/files";
import { addon, fineAccount } from "../aws/account/support/answers";

const release = String(amiReleases[kubernetesVersion]);
const patch = release.split("-")[0];
const newer = `${patch}-20991231`;
const addons = pinnedAddons[kubernetesVersion] ?? {};
const vpcCni = String(addons["vpc-cni"]);

expectValidExchanges();

/** The pinned version of each add-on is the newest. */
const current: Answers = {
  ...fineAccount,
  DescribeAddonVersions: ({ addonName }) => addon(String(addonName), String(addons[String(addonName)])),
};

/** AWS recommends another release; that of the stack is published, too. */
function recommended(value: string, published = true): Answers {
  return {
    GetParameter: ({ Name: name }) => {
      if (String(name).includes("/recommended/")) return parameter(name, value);
      return published ? parameter(name, release) : failure("ParameterNotFound", 400, "There is no such parameter.");
    },
  };
}

function parameter(name: unknown, value: string): object {
  return { Parameter: { Name: name, Type: "String", Value: value, Version: 1 } };
}

/** A project with the configuration of this one, and a stack file. */
function project(config: string, more: Readonly<Record<string, string>> = {}): string {
  const manifest = readFileSync("Pulumi.yaml", "utf8").replace("main: stacks/", `main: ${process.cwd()}/stacks/`);
  return folder({ "Pulumi.yaml": manifest, "stacks/Pulumi.gpu-lab.yaml": config, ...more });
}

interface Run {
  readonly answers?: Answers;
  /** Indexes of chart repositories by their address. No other can be reached. */
  readonly charts?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly overrides?: Partial<Console>;
  /** The stack that is selected in the Pulumi CLI. */
  readonly selected?: string;
  /** Without `--stack`. */
  readonly isUnnamed?: boolean;
  /** More files of the project. */
  readonly more?: Readonly<Record<string, string>>;
}

async function pin(
  args: readonly string[],
  {
    answers = {},
    charts = {},
    config = "config: {}\n",
    overrides = {},
    selected,
    isUnnamed = false,
    more = {},
  }: Run = {},
) {
  const aws = await awsServer({ ...current, ...answers });
  useAws(aws.endpoint);
  vi.stubGlobal("fetch", (url: string) => {
    const found = charts[url];
    return found === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(new Response(found));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const cwd = project(config, more);
  usePulumi(
    `[ "$1 $2" != "stack --show-name" ] || { cat "${cwd}/selected"; exit; }\necho "$@" > "${cwd}/ran"\n[ ! -e "${cwd}/fail" ] || { echo "error: no stack" >&2; exit 255; }`,
  );
  if (selected !== undefined) writeFileSync(join(cwd, "selected"), `${selected}\n`);
  const stack = isUnnamed ? [] : ["--stack", "gpu-lab"];
  const run = (console: Console) => runPin([...stack, ...args], console);
  const { status, out, err } = await captured(run, { cwd, ...overrides });
  expect(out + err).not.toContain(secretKey);
  expect(out + err).not.toContain(sessionToken);
  const ran = () => readFileSync(join(cwd, "ran"), "utf8").trim();
  return { status, out, err, ran, cwd };
}

interface Row {
  readonly key: string;
  readonly status: string;
  readonly current: string | null;
  readonly wanted: string | null;
  readonly default: string | null;
  readonly note: string | null;
}

/** The rows of `--check --json`. */
async function rows(run: Run = {}) {
  const { status, out, err } = await pin(["--check", "--json"], run);
  expect(err).toBe("");
  const document = JSON.parse(out) as { pins: Row[]; outcome: string };
  const row = (key: string) => document.pins.find((one) => one.key === key);
  const is = (wanted: string) => document.pins.filter((one) => one.status === wanted).map(({ key }) => key);
  return { status, document, row, is };
}

function index(chart: string, ...versions: readonly string[]): string {
  const entries = versions.map((version) => `  - version: ${version}\n    name: ${chart}\n`);
  return `apiVersion: v1\nentries:\n  ${chart}:\n${entries.join("")}`;
}

describe("what is compared", () => {
  test("AMI releases and every add-on; nothing is newer, so that the status is 0", async () => {
    const { status, document, is } = await rows();
    expect([status, document.outcome]).toEqual([0, "current"]);
    expect(is("current")).toEqual(document.pins.map(({ key }) => key));
    expect(is("current")).toEqual(
      expect.arrayContaining(["systemNodes.releaseVersion", "gpuNodes.releaseVersion", "addons.coredns"]),
    );
    expect(document).toMatchObject({ kind: "Pins", version: 1, stack: "gpu-lab", kubernetesVersion, command: null });
  });

  test("a newer AMI release: 1", async () => {
    const { status, row, document } = await rows({ answers: recommended(newer) });
    expect([status, document.outcome]).toEqual([1, "outdated"]);
    expect(row("gpuNodes.releaseVersion")).toMatchObject({ status: "newer", current: release, wanted: newer });
  });

  test("a release that is older than the pinned one is no reason for a change", async () => {
    const { status, row } = await rows({ answers: recommended(`${patch}-20260101`) });
    expect([status, row("gpuNodes.releaseVersion")?.status]).toEqual([0, "current"]);
  });

  test("a pinned release that is gone: 1, also if the published one is older", async () => {
    const older = `${patch}-20260102`;
    const { status, row } = await rows({ answers: recommended(older, false) });
    expect(status).toBe(1);
    expect(row("gpuNodes.releaseVersion")).toMatchObject({ status: "gone", wanted: older });
  });

  test("the newest version of an add-on, and EKS's default", async () => {
    const versions = ["v1.22.4-eksbuild.3", "v9.10.0-eksbuild.1", "v9.9.0-eksbuild.12", "v9.9.0-eksbuild.2"];
    const answers: Answers = {
      DescribeAddonVersions: ({ addonName }) =>
        addonName === "vpc-cni"
          ? addon("vpc-cni", vpcCni, ...versions.slice(1))
          : addon(String(addonName), String(addons[String(addonName)])),
    };
    const { row } = await rows({ answers });
    expect(row("addons.vpc-cni")).toMatchObject({ status: "newer", wanted: "v9.10.0-eksbuild.1", default: vpcCni });
  });

  test("a release for another Kubernetes minor does not fit", async () => {
    const { row, status } = await rows({ answers: recommended("1.99.1-20991231") });
    expect(status).toBe(0);
    expect(row("gpuNodes.releaseVersion")).toMatchObject({
      status: "current",
      wanted: null,
      note: "1.99.1-20991231 is not compatible with this library.",
    });
  });

  test("a chart of a deprecated series has a notice, and the newest one has none", async () => {
    const noticeOf = async (version: string) => {
      const { row } = await rows({
        config: `config:\n  eks-gpu-lab:gpuOperator: { enabled: true, chartVersion: ${version} }\n`,
        charts: { [`${gpuOperatorChart.repository}/index.yaml`]: index("gpu-operator", "v26.7.2", version) },
      });
      return row("gpuOperator.chartVersion");
    };
    expect(await noticeOf("v26.3.1")).toMatchObject({
      ...{ status: "newer", wanted: "v26.7.2" },
      note: "NVIDIA calls the 26.3 series deprecated: it gets fixes only until the next series. v26.7.0 is newer.",
    });
    expect(await noticeOf("v26.7.0")).toMatchObject({ status: "newer", wanted: "v26.7.2", note: null });
  });

  test("charts of what is installed: the newest release that this library knows", async () => {
    const config =
      "config:\n  eks-gpu-lab:gpuOperator: { enabled: true }\n  eks-gpu-lab:monitoring: { enabled: true }\n";
    const { row } = await rows({
      config,
      charts: {
        [`${gpuOperatorChart.repository}/index.yaml`]: index(
          "gpu-operator",
          "v99.1.0",
          "v26.3.3",
          "v26.3.2",
          gpuOperatorChart.version,
          "v26.3.9-rc.1",
        ),
        [`${kubePrometheusStackChart.repository}/index.yaml`]: index(
          "kube-prometheus-stack",
          "99.0.0",
          kubePrometheusStackChart.version,
        ),
      },
    });
    expect(row("gpuOperator.chartVersion")).toMatchObject({
      ...{ status: "newer", wanted: "v26.3.3" },
      note: expect.stringMatching(
        /^NVIDIA calls the 26\.3 series deprecated.* v99\.1\.0 is not compatible with this library\.$/,
      ) as string,
    });
    expect(row("monitoring.chartVersion")).toMatchObject({
      status: "current",
      note: "99.0.0 is not compatible with this library.",
    });
  });
});

test("charts of controllers: the newest release of the major version that this library knows", async () => {
  const { name, repository, version } = loadBalancerControllerChart;
  const { row } = await rows({
    config: "config:\n  eks-gpu-lab:controllers: { loadBalancerController: { install: true } }\n",
    charts: { [`${repository}/index.yaml`]: index(name, "99.0.0", "3.99.0", version) },
  });
  expect(row("controllers.loadBalancerController.chartVersion")).toEqual(
    expect.objectContaining({ status: "newer", current: version, wanted: "3.99.0" }),
  );
  expect(row("controllers.clusterAutoscaler.chartVersion")).toBeUndefined();
});

test.each([
  [undefined, false],
  ["1", false],
  ["0", true],
])("with a proxy that Node.js ignores, the note says what to set: NODE_USE_ENV_PROXY is %s", async (used, hint) => {
  vi.stubEnv("HTTPS_PROXY", used === undefined ? undefined : "http://proxy.example.com");
  vi.stubEnv("https_proxy", undefined);
  vi.stubEnv("NODE_USE_ENV_PROXY", used);
  const reading = await readChart("https://localhost:1", "a");
  expect("why" in reading && reading.why.includes("NODE_USE_ENV_PROXY=1")).toBe(hint);
});

describe("what cannot be read", () => {
  const config = "config:\n  eks-gpu-lab:gpuOperator: { enabled: true }\n";

  test("one source does not stop the others", async () => {
    vi.stubEnv("HTTPS_PROXY", undefined);
    vi.stubEnv("https_proxy", undefined);
    const denied = failure("AccessDeniedException", 403, "not authorized");
    const { status, is, row } = await rows({
      config,
      answers: { ...recommended(newer), DescribeAddonVersions: () => denied },
    });
    expect(status).toBe(1);
    expect(is("newer")).toEqual(["systemNodes.releaseVersion", "gpuNodes.releaseVersion"]);
    expect(row("addons.coredns")).toMatchObject({
      status: "unread",
      note: "The permission eks:DescribeAddonVersions is missing.",
    });
    expect(row("gpuOperator.chartVersion")?.note).toMatch(/index\.yaml cannot be reached\.$/);
  });

  test("expired credentials: the charts are still read", async () => {
    const expired = failure("ExpiredTokenException", 403, "expired");
    const charts = { [`${gpuOperatorChart.repository}/index.yaml`]: index("gpu-operator", gpuOperatorChart.version) };
    const answers = { GetParameter: () => expired, DescribeAddonVersions: () => expired };
    const { is, row } = await rows({ config, charts, answers });
    expect(is("current")).toEqual(["gpuOperator.chartVersion"]);
    expect(row("gpuNodes.releaseVersion")?.note).toBe("The credentials have expired.");
  });

  test("nothing at all is an error with a fix", async () => {
    const { status, err } = await pin(["--check"], {
      answers: { GetParameter: () => "lost", DescribeAddonVersions: () => "lost" },
    });
    expect([status, err]).toEqual([2, expect.stringContaining("AWS cannot be reached")]);
    expect(err).toContain("fix: check your credentials");
  });

  test.for([
    ["no: [", "is not an index of a chart repository"],
    ["entries: {}", "has no chart gpu-operator"],
  ] as const)("an index %j", async ([text, expected]) => {
    const { row } = await rows({ config, charts: { [`${gpuOperatorChart.repository}/index.yaml`]: text } });
    expect(row("gpuOperator.chartVersion")).toMatchObject({
      status: "unread",
      note: expect.stringContaining(expected) as string,
    });
  });
});

describe("what is written", () => {
  test("all keys with one command of the Pulumi CLI, and the report shows the difference", async () => {
    const { status, out, err, ran } = await pin([], { answers: recommended(newer) });
    expect([status, err]).toEqual([0, ""]);
    expect(ran()).toBe(
      `config set-all --stack gpu-lab --path --plaintext systemNodes.releaseVersion=${newer} --plaintext gpuNodes.releaseVersion=${newer} --non-interactive`,
    );
    expect(out).toMatch(new RegExp(`^ {2}newer +gpuNodes\\.releaseVersion +${release} -> ${newer}$`, "m"));
    expect(out).toContain("Written to the configuration of the stack");
  });

  test("a dry run prints the command, which can be pasted, and writes nothing", async () => {
    const { status, out, ran } = await pin(["--dry-run"], { answers: recommended(newer) });
    expect(status).toBe(0);
    expect(out).toContain(
      `\n  pulumi config set-all --stack gpu-lab --path --plaintext systemNodes.releaseVersion=${newer}`,
    );
    expect(ran).toThrow(/ENOENT/);
  });

  test("--check writes nothing", async () => {
    const { status, ran } = await pin(["--check"], { answers: recommended(newer) });
    expect(status).toBe(1);
    expect(ran).toThrow(/ENOENT/);
  });

  test("without an update, Pulumi does not run", async () => {
    const { status, out, ran } = await pin([]);
    expect([status, out]).toEqual([0, expect.stringContaining("Nothing to write.")]);
    expect(ran).toThrow(/ENOENT/);
  });

  test("if the Pulumi CLI is missing, the command is in the message", async () => {
    const aws = await awsServer({ ...current, ...recommended(newer) });
    useAws(aws.endpoint);
    vi.stubEnv("PATH", "/nonexistent");
    const cwd = project("config: {}\n");
    const { status, err } = await runCli(["pin", "--stack", "gpu-lab"], { cwd });
    expect([status, err]).toEqual([2, expect.stringContaining("sign in with pulumi login")]);
    expect(err).toContain(`--plaintext gpuNodes.releaseVersion=${newer}`);
  });

  test("a wrong region and other problems of the configuration are reported at once", async () => {
    const { status, err } = await pin([], { config: "config:\n  aws:region: mars\n  eks-gpu-lab:ncl: blocked\n" });
    expect(status).toBe(2);
    expect(err).toMatch(/^2 problems with stack gpu-lab:\n {2}aws:region: got "mars"[^]*\n {2}eks-gpu-lab:ncl: /);
  });

  test("--region is that of the stack", async () => {
    const { status, err } = await pin(["--region", "us-east-1"]);
    expect(status).toBe(2);
    expect(err).toMatch(
      /^1 problem with the command line:[^]*fix: remove the option; to set the region of the stack, run pulumi config set aws:region NAME\n$/,
    );
  });

  test("on a terminal, progress is on one line", async () => {
    const { err } = await pin(["--check"], { overrides: { terminal: { isTTY: true, columns: 70 } } });
    expect(err).toBe("\r\u001b[2Kreading the published versions ...\r\u001b[2K");
  });
});

describe("which stack", () => {
  const second = { "stacks/Pulumi.dev.yaml": "config:\n  eks-gpu-lab:lab: gpu-lab\n" };
  const unnamed = { answers: recommended(newer), isUnnamed: true, more: second };

  test("the selected one, also for the command", async () => {
    const { status, out, ran } = await pin([], { ...unnamed, selected: "dev" });
    expect([status, out]).toEqual([0, expect.stringContaining("stack dev")]);
    expect(ran()).toContain("config set-all --stack dev --path");
  });

  test("a full name selects the file by its end, and Pulumi receives all of it", async () => {
    const stack = "organization/eks-gpu-lab/dev";
    const { status, out } = await pin(["--dry-run", "--stack", stack], unnamed);
    expect([status, out]).toEqual([0, expect.stringContaining(`pulumi config set-all --stack ${stack} --path`)]);
  });

  test("without a selection nothing is written, and only reading has a default", async () => {
    const { status, err, ran } = await pin([], unnamed);
    expect([status, err]).toEqual([2, expect.stringContaining("the project has several and none is selected")]);
    expect(err).toMatch(/fix: use --stack with one of .*dev.*gpu-lab.*, or pulumi stack select NAME/);
    expect(ran).toThrow(/ENOENT/);
    expect((await pin(["--check"], unnamed)).out).toContain("stack gpu-lab");
  });

  test.for([
    ["organization/other/dev", "The stack belongs to the project other; this folder contains the project eks-gpu-lab."],
    ["a//dev", "Must be the name of a stack, or organization/project/stack."],
  ])("%s is wrong input", async ([stack = "", why]) => {
    const { status, err } = await pin(["--check", "--stack", stack], unnamed);
    expect([status, err]).toEqual([2, expect.stringContaining(why ?? "")]);
  });
});

describe("the input", () => {
  test.for([
    [["--check", "--dry-run"], "Cannot be combined with --check"],
    [["--chekc"], "did you mean --check?"],
    [["--stack", "device-plugin"], "Repeats --stack"],
  ] as const)("%j is wrong", async ([args, expected]) => {
    const { status, err } = await pin(args);
    expect([status, err]).toEqual([2, expect.stringContaining(expected)]);
  });

  test("a stack on the cluster of another one", async () => {
    const config =
      "config:\n  eks-gpu-lab:lab: device-plugin\n  eks-gpu-lab:environment: organization/eks-gpu-lab/gpu-lab\n";
    const { status, err } = await pin([], { config });
    expect([status, err]).toEqual([2, expect.stringContaining("uses the cluster of another stack")]);
  });
});
