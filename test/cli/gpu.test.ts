import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Console } from "../../cli/command";
import { runGpu } from "../../cli/gpu";
import { fineAccount } from "../account/support/answers";
import { accepted, activities, cluster, instances, nodegroup } from "../sessions/support/answers";
import { secretKey, sessionToken, useAws } from "../support/aws-environment";
import { awsServer, expectValidExchanges, failure, type Answers, type Params } from "../support/aws-server";
import { captured, runCli } from "../support/cli";
import { folder } from "../support/files";
import { usePulumi } from "../support/fake-pulumi";
import { apiServer } from "../triage/support/api-server";
import { clusterPolicy, daemonSet, gpuNode, node, pod } from "../triage/support/objects";

expectValidExchanges(["SomethingNewException"]);

const place = ["--cluster", "myeks", "--nodegroup", "gpu", "--region", "ap-northeast-2"];
const quota = "You have requested more vCPU capacity than your current vCPU limit of 0 allows.";
const none: Answers = {
  ...fineAccount,
  DescribeAutoScalingGroups: () => instances(),
  DescribeScalingActivities: () => activities(),
  DescribeCluster: () => cluster("https://none.example"),
};

/** Runs a command on an AWS with these answers. */
async function gpu(answers: Answers, args: readonly string[], overrides: Partial<Console> = {}) {
  const aws = await awsServer({ ...none, ...answers });
  useAws(aws.endpoint);
  const run = (console: Console) => runGpu([...args, ...place], console, { intervalMs: 10 });
  const { status, out, err } = await captured(run, overrides);
  expect(out + err).not.toContain(secretKey);
  expect(out + err).not.toContain(sessionToken);
  return { status, out, err, operations: aws.operations, changes: aws.paramsOf("UpdateNodegroupConfig") };
}

/** The same answer to each request up to a number of them, then another. */
function after<T>(count: number, first: T, then: T): (params: Params, number: number) => T {
  return (_, number) => (number > count ? then : first);
}

describe("status", () => {
  test("0 for a group at rest, without a request to Kubernetes", async () => {
    const { status, out, err, operations } = await gpu({ DescribeNodegroup: () => nodegroup() }, ["status"]);
    expect([status, err]).toEqual([0, ""]);
    expect(operations).not.toContain("DescribeCluster");
    expect(out).toBe(
      [
        "GPU node group myeks/gpu in ap-northeast-2",
        "",
        "  size       desired 0, min 0, max 2; ACTIVE",
        "  instances  none",
        "  nodes      none",
        "  cost now   0 USD per hour for GPU nodes",
        "  lease      unknown: only the outputs of a stack state it",
        "",
      ].join("\n"),
    );
  });

  test("1 and the cause, the words of AWS and a command, if nodes are missing", async () => {
    const { status, out } = await gpu(
      {
        DescribeNodegroup: () => nodegroup({ desired: 1 }),
        DescribeScalingActivities: () => activities({ id: "a", status: "Failed", message: quota }),
      },
      ["status"],
    );
    expect(status).toBe(1);
    expect(out).toContain("Why nodes are missing\n  The account's vCPU quota for this kind of instance is used up.");
    expect(out).toContain("AWS, 2026-11-20T10:00:00.000Z: You have requested more vCPU");
    expect(out).toContain("aws service-quotas list-service-quotas --region ap-northeast-2");
  });

  test("an old failure is no problem of a group that has its nodes", async () => {
    const old = activities({ id: "a", status: "Failed", message: quota });
    const { status } = await gpu(
      { DescribeNodegroup: () => nodegroup({ desired: 0 }), DescribeScalingActivities: () => old },
      ["status"],
    );
    expect(status).toBe(0);
  });

  test("the nodes, their GPUs and who holds them, in the context of the cluster", async () => {
    const labels = { "eks.amazonaws.com/nodegroup": "gpu" };
    const api = await apiServer({
      items: [
        gpuNode("n1", { labels }),
        gpuNode("n2", { labels, gpus: "4" }),
        gpuNode("other", { labels: { "eks.amazonaws.com/nodegroup": "gpu-2" } }),
        pod("probe", { node: "n1", gpus: 1 }),
        pod("done", { node: "n2", gpus: 1, phase: "Succeeded" }),
        pod("web", { node: "n2" }),
      ],
    });
    const { out, status } = await gpu(
      {
        DescribeNodegroup: () => nodegroup({ desired: 2 }),
        DescribeAutoScalingGroups: () => instances("InService", "Pending:Wait"),
        DescribeCluster: () => cluster(`${addressOf(api.kubeconfig).toUpperCase()}/`),
      },
      ["status", "--kubeconfig", api.kubeconfig],
    );
    expect(status).toBe(0);
    expect(out).toContain("instances  1 running, 1 starting");
    expect(out).toContain("nodes      2 Ready of 2");
    expect(out).toContain("n1  Ready  1 GPU, 1 in use by gpu-lab/probe (1)");
    expect(out).toContain("n2  Ready  4 GPUs, 0 in use");
    expect(out).toContain("cost now   2.4790 USD per hour; without traffic; volume type not set; priced as gp3");
    expect(api.requests.every((request) => request.startsWith("GET "))).toBe(true);
  });

  test("what the identity may not read is named, and the rest is shown", async () => {
    const denied = failure("AccessDenied", 403, "User is not authorized to perform DescribeAutoScalingGroups");
    const { status, out } = await gpu(
      { DescribeNodegroup: () => nodegroup({ desired: 1 }), DescribeAutoScalingGroups: () => denied },
      ["status"],
    );
    expect(status).toBe(0);
    expect(out).toContain("instances  not read");
    expect(out).toContain("instances: The identity may not do this: User is not authorized");
    expect(out).toContain("fix: ask your administrator for the permission autoscaling:DescribeAutoScalingGroups");
    expect(out).toContain("nodes: The kubeconfig cannot be read: ENOENT");
  });

  test("a spot price is an upper bound, and several types have that of the most expensive", async () => {
    const answers = (fields: object): Answers => ({
      DescribeNodegroup: () => nodegroup({ desired: 1, ...fields }),
      DescribeAutoScalingGroups: () => instances("InService"),
    });
    const spot = await gpu(answers({ capacityType: "SPOT" }), ["status"]);
    expect(spot.out).toContain("at most the on-demand price");
    const types = await gpu(answers({ instanceTypes: ["g5.xlarge", "g5.2xlarge"] }), ["up", "2", "--dry-run"]);
    expect(types.out).toContain("2 GPU nodes: 2.9856 USD per hour");
  });
});

/** The address of the API server in a kubeconfig. */
function addressOf(kubeconfig: string): string {
  return /"server":"([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
}

describe("up", () => {
  const started = (desired: number) => ({
    DescribeNodegroup: (_: Params, number: number) => nodegroup({ desired: number > 1 ? desired : 0 }),
    UpdateNodegroupConfig: () => accepted,
  });

  test("waits until the nodes advertise their GPUs, and shows each step once without a terminal", async () => {
    const labels = { "eks.amazonaws.com/nodegroup": "gpu" };
    const items: Record<string, unknown>[] = [daemonSet("nvidia-device-plugin-daemonset"), clusterPolicy()];
    const api = await apiServer({ items });
    const { status, out, err, changes } = await gpu(
      {
        ...started(1),
        DescribeAutoScalingGroups: (_, number) => {
          if (number === 4) items.push(node("n1", { labels, type: "g5.xlarge" }));
          if (number === 6) items.splice(2, 1, gpuNode("n1", { labels }));
          return number < 2 ? instances() : number < 3 ? instances("Pending") : instances("InService");
        },
      },
      ["up", "1", "--kubeconfig", api.kubeconfig, "--context", "lab"],
    );
    expect(status, err).toBe(0);
    expect(changes).toMatchObject([{ scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 1 } }]);
    expect(err.split("\n")).toEqual([
      "reading the node group",
      "checking the account",
      "instances running: 0 of 1, nodes Ready: 0 of 1, with GPUs: 0 of 1",
      "instances running: 1 of 1, nodes Ready: 0 of 1, with GPUs: 0 of 1",
      "instances running: 1 of 1, nodes Ready: 1 of 1, with GPUs: 0 of 1",
      "",
    ]);
    expect(out).toContain("The session runs: 1 node Ready, with GPUs, after ");
    expect(out).toContain("npx eks-gpu-lab gpu down --region ap-northeast-2 --cluster myeks --nodegroup gpu");
  });

  test("on a terminal, the steps share a line that is empty at the end", async () => {
    const { err, out } = await gpu(
      { ...started(1), DescribeAutoScalingGroups: (_, number) => (number < 3 ? instances() : instances("InService")) },
      ["up", "1"],
      { terminal: { isTTY: true, columns: 60 } },
    );
    expect(err).toContain("\r\u001b[2Kinstances running: 0 of 1");
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
    // A command is not wrapped, so that it can be copied; the last line is not one.
    expect(out.split("\n").filter((line) => line.length > 60 && !line.startsWith(" "))).toEqual([]);
    expect(out).toMatch(/\n\n1 GPU node: [\d.]+ USD per hour, until you run gpu down\n$/);
  });

  test("a quota ends the wait at once; the group stays at the size, which is said with its cost", async () => {
    const { status, out } = await gpu(
      {
        ...started(2),
        DescribeScalingActivities: (_, number) =>
          number === 1 ? activities() : activities({ id: "a", status: "Failed", message: quota }),
      },
      ["up", "2"],
    );
    expect(status).toBe(1);
    expect(out).toContain("The account's vCPU quota for this kind of instance is used up.");
    expect(out).toMatch(/The group stays at desired size 2: AWS keeps trying, and these nodes cost 2\.4790 USD per\s/);
  });

  test("lacking capacity passes: up waits on, also with a failure from before the request", async () => {
    const message = "We currently do not have sufficient g5.xlarge capacity in the zone.";
    const old = { id: "o", status: "Failed", message: quota };
    const { status } = await gpu(
      {
        ...started(1),
        DescribeAutoScalingGroups: (_, number) => (number < 4 ? instances() : instances("InService")),
        DescribeScalingActivities: (_, number) =>
          number === 1 ? activities(old) : activities({ id: "a", status: "Failed", message }, old),
      },
      ["up", "1"],
    );
    expect(status).toBe(0);
  });

  test("a quota that has failed before with the same words ends the wait, too", async () => {
    const failed = (id: string) => ({ id, status: "Failed", message: quota });
    const { status, out } = await gpu(
      {
        DescribeNodegroup: (_, number) => nodegroup({ desired: number > 1 ? 2 : 1 }),
        UpdateNodegroupConfig: () => accepted,
        DescribeScalingActivities: (_, number) =>
          number === 1 ? activities(failed("a")) : activities(failed("b"), failed("a")),
      },
      ["up", "2"],
    );
    expect([status, out.includes("AWS starts no node")]).toEqual([1, true]);
  });

  describe("repeated, with a failure from before", () => {
    const capacity = "We currently do not have sufficient g5.xlarge capacity in the zone.";
    const old = { id: "o", status: "Failed", message: quota };
    const issues = [{ code: "AsgInstanceLaunchFailures", message: "VcpuLimitExceeded" }];
    const waiting = { DescribeNodegroup: () => nodegroup({ desired: 1, issues }) };

    test("waits until the node runs", async () => {
      const { status, err, changes } = await gpu(
        {
          ...waiting,
          DescribeAutoScalingGroups: (_, number) => (number < 4 ? instances() : instances("InService")),
          DescribeScalingActivities: () => activities({ id: "a", status: "Failed", message: capacity }, old),
        },
        ["up", "1"],
      );
      expect([status, changes]).toEqual([0, []]);
      expect(err).not.toContain("quota");
    });

    test("shows the failure and that it is older, if the time is over", async () => {
      const answers = { ...waiting, DescribeScalingActivities: () => activities(old) };
      const { status, out } = await gpu(answers, ["up", "1", "--timeout", "1"]);
      expect([status, out]).toEqual([1, expect.stringContaining("Not all nodes were usable within 1s.")]);
      expect(out).toContain("AWS, 2026-11-20T10:00:00.000Z, before this command: You have requested more vCPU");
      const { out: json } = await gpu(answers, ["up", "1", "--timeout", "1", "--json"]);
      expect(JSON.parse(json)).toMatchObject({ outcome: "timeout", reasons: [{ id: "quota", isOlder: true }] });
      const { group } = JSON.parse(json) as { group: object };
      expect(Object.keys(group)).toEqual(["region", "cluster", "group", "status", "sizes", "issues"]);
    });

    test("ends for a new failure with the same words", async () => {
      const failed = (_: Params, number: number) =>
        number === 1 ? activities(old) : activities({ ...old, id: "b" }, old);
      const { status, out } = await gpu({ ...waiting, DescribeScalingActivities: failed }, ["up", "1", "--json"]);
      expect([status, JSON.parse(out)]).toMatchObject([1, { outcome: "blocked", reasons: [{ isOlder: false }] }]);
    });
  });

  test("a health issue of the group is a reason, too", async () => {
    const issues = [{ code: "Ec2LaunchTemplateNotFound", message: "Launch Template : lt-1 was not found." }];
    const { status, out } = await gpu(
      { ...started(1), DescribeNodegroup: after(1, nodegroup(), nodegroup({ desired: 1, issues })) },
      ["up", "1"],
    );
    expect([status, out.includes("The launch template of the group cannot be used")]).toEqual([1, true]);
  });

  test.for(["Ec2LaunchTemplateNotFound", "IamNodeRoleNotFound"])("%s refuses: no waiting ends it", async (code) => {
    const issues = [{ code, message: "It was not found." }];
    const degraded = () => nodegroup({ status: "DEGRADED", issues });
    const { status, err, changes } = await gpu({ DescribeNodegroup: degraded }, ["up", "1"]);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toContain(`health of the node group: got "${code}". It was not found.\n`);
    expect(err).toContain("fix: repair the group with pulumi up, or make a new one.");
  });

  test("a degraded group, and one that is being updated, are warnings in a dry run, too", async () => {
    const issues = [{ code: "AsgInstanceLaunchFailures", message: "VcpuLimitExceeded" }];
    const fields = { status: "DEGRADED", issues };
    const degraded = await gpu({ DescribeNodegroup: () => nodegroup(fields) }, ["up", "1", "--dry-run"]);
    expect([degraded.status, degraded.err]).toEqual([
      0,
      expect.stringContaining("maybe from before: AsgInstanceLaunch"),
    ]);
    const updating = { DescribeNodegroup: () => nodegroup({ status: "UPDATING" }) };
    const { status, err } = await gpu(updating, ["up", "1", "--dry-run"]);
    expect([status, err]).toEqual([0, expect.stringContaining("EKS updates the node group.")]);
  });

  test("a health issue from before the request ends nothing", async () => {
    const issues = [{ code: "AsgInstanceLaunchFailures", message: "VcpuLimitExceeded" }];
    const { status } = await gpu(
      {
        ...started(1),
        DescribeNodegroup: (_, number) => nodegroup({ desired: number > 1 ? 1 : 0, issues }),
        DescribeAutoScalingGroups: (_, number) => (number < 3 ? instances() : instances("InService")),
      },
      ["up", "1"],
    );
    expect(status).toBe(0);
  });

  test("1 when the time is over", async () => {
    const { status, out } = await gpu(started(1), ["up", "1", "--timeout", "1"]);
    expect([status, out.includes("Not all nodes were usable within 1s.")]).toEqual([1, true]);
  });

  test.for([
    [["up", "3"], {}, /gpu up: got 3\. The group has at most 2\.\n +fix: aws eks update-nodegroup-config .*maxSize=3/],
    [["up", "1"], { min: 2, desired: 2 }, /The group has at least 2\.\n +fix: run gpu up 2/],
    [["up", "1"], { desired: 2 }, /desired size is already 2, and up never stops nodes\.\n +fix: run gpu up 2/],
    [["up", "1"], { status: "DELETING" }, /status: got "DELETING"/],
  ] as const)("%j on %j is refused before anything is changed", async ([args, fields, expected]) => {
    const { status, err, changes } = await gpu({ DescribeNodegroup: () => nodegroup(fields) }, args);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toMatch(expected);
  });

  test("without the right to see instances, nothing is started", async () => {
    const denied = failure("AccessDenied", 403, "not authorized");
    const answers = { DescribeNodegroup: () => nodegroup(), DescribeAutoScalingGroups: () => denied };
    const { status, err, changes } = await gpu(answers, ["up", "1"]);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toContain("instances: got nothing. up must be able to read the instances that it starts");
  });

  test("another update of the group is waited for", async () => {
    const busy = failure("ResourceInUseException", 409, "Nodegroup already has an update in progress");
    const { status, err, changes } = await gpu(
      {
        ...started(1),
        UpdateNodegroupConfig: after(2, busy, accepted),
        DescribeAutoScalingGroups: (_, number) => (number < 2 ? instances() : instances("InService")),
      },
      ["up", "1"],
    );
    expect([status, changes.length]).toEqual([0, 3]);
    expect(err).toContain("waiting to send the request: AWS is busy: Nodegroup already has an update in progress.");
  });
});

describe("Ctrl-C", () => {
  test("leaves the request of up in effect, and says so", async () => {
    const { status, out } = await gpu(
      {
        DescribeNodegroup: (_, number) => {
          if (number === 3) process.emit("SIGINT");
          return nodegroup({ desired: number > 1 ? 1 : 0 });
        },
        UpdateNodegroupConfig: () => accepted,
      },
      ["up", "1"],
    );
    expect(status).toBe(1);
    expect(out).toMatch(/Interrupted\.\nThe group stays at desired size 1: AWS keeps trying/);
  });

  test("before the request leaves the group unchanged", async () => {
    const { status, out, changes } = await gpu(
      {
        DescribeNodegroup: () => {
          process.emit("SIGINT");
          return nodegroup();
        },
      },
      ["up", "1"],
    );
    expect([status, changes]).toEqual([1, []]);
    expect(out).toContain("Nothing was requested: the group is unchanged.");
  });

  test.for([["up", "1"], ["down"], ["status"]])(
    "%j, while the stack is read: that is said, with status 1",
    async (args) => {
      const folderOf = folder({});
      usePulumi(`touch '${folderOf}/started'; exec sleep 20`);
      const running = runCli(["gpu", ...args]);
      await vi.waitUntil(() => existsSync(join(folderOf, "started")), { timeout: 15_000 });
      process.emit("SIGINT");
      expect(await running).toEqual({
        ...{ status: 1, out: "", err: "Interrupted. Nothing was requested: the group is unchanged.\n" },
      });
    },
  );

  test("leaves the request of down in effect", async () => {
    const { status, out } = await gpu(
      {
        DescribeNodegroup: (_, number) => {
          if (number === 3) process.emit("SIGINT");
          return nodegroup({ desired: number > 1 ? 0 : 1 });
        },
        DescribeAutoScalingGroups: () => instances("Terminating:Wait"),
        UpdateNodegroupConfig: () => accepted,
      },
      ["down"],
    );
    expect(status).toBe(1);
    expect(out).toContain("Interrupted.\nThe group stays at desired size 0");
  });
});

describe("down", () => {
  test("warns about pods that hold GPUs, and waits until no instance is left and no update runs", async () => {
    const labels = { "eks.amazonaws.com/nodegroup": "gpu" };
    const api = await apiServer({ items: [gpuNode("n1", { labels }), pod("probe", { node: "n1", gpus: 1 })] });
    const { status, out, err, operations, changes } = await gpu(
      {
        DescribeNodegroup: (_, number) =>
          nodegroup(number === 1 ? { desired: 1 } : { status: number < 5 ? "UPDATING" : "ACTIVE" }),
        UpdateNodegroupConfig: () => accepted,
        DescribeAutoScalingGroups: (_, number) =>
          number === 1 ? instances("InService") : number < 4 ? instances("Terminating") : instances(),
      },
      ["down", "--kubeconfig", api.kubeconfig, "--context", "lab"],
    );
    expect(status, err).toBe(0);
    expect(err).toContain("1 pod with GPUs will end with their nodes: gpu-lab/probe\n");
    expect(err).toContain("instances left: 1, stopping: 1\n");
    expect(changes).toMatchObject([{ scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 } }]);
    expect(operations.filter((one) => one === "DescribeNodegroup").length).toBe(5);
    expect(out).toContain("The session is over: no instance is left");
  });

  test("says what it does not know of the pods, and what to do", async () => {
    const answers = {
      DescribeNodegroup: () => nodegroup({ desired: 1 }),
      DescribeAutoScalingGroups: () => instances("InService"),
    };
    const { err } = await gpu(answers, ["down", "--dry-run"]);
    expect(err).toMatch(
      /^The tool does not know whether pods hold GPUs\. The kubeconfig cannot be read: ENOENT.*\.\n {2}fix: run aws eks /m,
    );
  });

  test("a group at rest needs no request", async () => {
    const { status, changes } = await gpu({ DescribeNodegroup: () => nodegroup() }, ["down"]);
    expect([status, changes]).toEqual([0, []]);
  });

  test("a dry run of a repeated command says that the group has these sizes", async () => {
    const asked = { DescribeNodegroup: () => nodegroup({ desired: 2 }) };
    const { out } = await gpu(asked, ["up", "2", "--dry-run"]);
    expect(out).toContain("Dry run, nothing was changed. The group already has the sizes that it would request.");
    const json = async (args: readonly string[]) =>
      (JSON.parse((await gpu(asked, [...args, "--dry-run", "--json"])).out) as { planned: unknown }).planned;
    expect([await json(["up", "2"]), await json(["down"])]).toEqual([null, { min: 0, max: 2, desired: 0 }]);
  });

  test("without the right to see instances, the sizes are set, and the end is not claimed", async () => {
    const { status, out, changes } = await gpu(
      {
        DescribeNodegroup: () => nodegroup({ desired: 1 }),
        DescribeAutoScalingGroups: () => failure("AccessDenied", 403, "not authorized"),
        UpdateNodegroupConfig: () => accepted,
      },
      ["down"],
    );
    expect([status, changes.length]).toEqual([1, 1]);
    expect(out).toContain("The tool cannot see whether the instances stop.\nThe group stays at desired size 0");
  });

  test("1 when instances are left in time", async () => {
    const answers = { DescribeNodegroup: () => nodegroup(), DescribeAutoScalingGroups: () => instances("Terminating") };
    const { status, out } = await gpu(answers, ["down", "--timeout", "1"]);
    expect([status, out.includes("Not all instances stopped within 1s.")]).toEqual([1, true]);
  });
});

describe("errors of AWS", () => {
  test.for([
    ["ExpiredTokenException", 403, "The security token included in the request is expired", "credentials have expired"],
    ["UnrecognizedClientException", 403, `The token ${sessionToken} is invalid`, "does not accept the credentials"],
    ["InvalidSignatureException", 403, `x-amz-security-token:${sessionToken}`, "does not accept the credentials"],
    ["AccessDeniedException", 403, "User: arn:aws:iam::1:user/u is not authorized", "permission eks:DescribeNodegroup"],
    ["ResourceNotFoundException", 404, "No cluster found for name: myeks.", "list-nodegroups --region ap-northeast-2"],
    ["InvalidParameterException", 400, "The name is wrong", "AWS rejects the request: The name is wrong."],
    ["SomethingNewException", 418, "It is new", "AWS answers with an error: It is new."],
  ] as const)("%s is wrong input with a fix", async ([name, code, message, expected]) => {
    const { status, err, changes } = await gpu({ DescribeNodegroup: () => failure(name, code, message) }, ["up", "1"]);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toContain(`eks:DescribeNodegroup: got "${name}"`);
    expect(err).toContain(expected);
  });

  test("a short throttling is ridden out, a long one is named", async () => {
    const throttled = failure("ThrottlingException", 429, "Rate exceeded");
    const short = await gpu({ DescribeNodegroup: after(2, throttled, nodegroup()) }, ["status"]);
    expect(short.status).toBe(0);
    const long = await gpu({ DescribeNodegroup: () => throttled }, ["status"]);
    expect([long.status, long.err.includes("AWS throttles the requests of this account.")]).toEqual([2, true]);
  });

  test("a lost network is named before the request, and ridden out after it", async () => {
    const { status, err } = await gpu({ DescribeNodegroup: () => "lost" }, ["status"]);
    expect([status, err.includes("AWS cannot be reached")]).toEqual([2, true]);
    const later = await gpu(
      {
        DescribeNodegroup: (_, number) =>
          number > 1 && number < 7 ? "lost" : nodegroup({ desired: number > 1 ? 1 : 0 }),
        DescribeAutoScalingGroups: (_, number) => (number < 2 ? instances() : instances("InService")),
        UpdateNodegroupConfig: () => accepted,
      },
      ["up", "1"],
    );
    expect(later.status, later.err).toBe(0);
    expect(later.err).toContain("waiting for AWS: AWS cannot be reached");
  });

  test("credentials that expire during the wait: the state is said", async () => {
    const expired = failure("ExpiredTokenException", 403, "expired");
    const { status, out } = await gpu(
      { DescribeNodegroup: after(1, nodegroup(), expired), UpdateNodegroupConfig: () => accepted },
      ["up", "1", "--json"],
    );
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ...{ kind: "GpuSession", version: 1, command: "up", outcome: "lost" },
      requested: { desired: 1 },
      error: { action: "eks:DescribeNodegroup", code: "ExpiredTokenException", why: "The credentials have expired." },
    });
  });

  test("without credentials", async () => {
    useAws("http://127.0.0.1:1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    expect(await runCli(["gpu", "status", ...place])).toMatchObject({
      status: 2,
      err: expect.stringContaining("No usable credentials") as string,
    });
  });
});

test("a profile of AWS_PROFILE that does not exist is named", async () => {
  useAws("http://127.0.0.1:1");
  vi.stubEnv("AWS_PROFILE", "missing");
  const { status, err } = await runCli(["gpu", "status", ...place]);
  expect([status, err]).toEqual([2, expect.stringContaining("The profile missing does not exist, or has no usable")]);
  expect(err).toContain("fix: choose one of aws configure list-profiles, or sign in");
});

describe("the stack", () => {
  const outputs = {
    scaleUp:
      "aws eks update-nodegroup-config --region ap-northeast-2 --cluster-name myeks --nodegroup-name myeks-gpu --scaling-config minSize=0,maxSize=2,desiredSize=2",
    gpuNodes: 2,
    lease: "all GPU nodes end every day at 22:00 Asia/Seoul",
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
    expect(out).toContain("2 GPU nodes: 2.4790 USD per hour");
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
      /^ {2}lease +all GPU nodes end every day at 22:00 Asia\/Seoul$/m,
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
    ["echo no", "prints no JSON object"],
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
    ["no stack named 'dev' found", `choose one of pulumi stack ls with --stack, or ${elsewhere}`],
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

describe("the command line", () => {
  test.for([
    [[], "gpu: got nothing. Must be up, down or status."],
    [["stat"], "did you mean gpu status?"],
    [["up", "0"], "fix: use gpu down"],
    [["up", "two"], "Must be a number of nodes"],
    [["up", "1", "2"], "Only one number is allowed."],
    [["down", "1"], "Takes no number."],
    [["status", "--dry-run"], "Cannot be combined with status"],
    [["status", "--timeout", "5"], "Cannot be combined with status"],
    [["up", "--timeout", "0"], "Must be a whole number of seconds from 1 to 86400."],
    [["up", "--cluster", "c"], "A cluster has several node groups."],
    [["up", "--cluster", "a b"], "choose one of aws eks list-nodegroups --cluster-name 'a b'"],
    [["up", "--nodegroup", "g"], "A node group belongs to a cluster."],
    [["up", "--stack", "s", "--cluster", "c", "--nodegroup", "g"], "Cannot be combined with --cluster and --nodegroup"],
    [["up", "--regoin", "x"], "did you mean --region?"],
  ] as const)("%j is wrong input", async ([args, expected]) => {
    const { status, err } = await runCli(["gpu", ...args]);
    expect([status, err]).toEqual([2, expect.stringContaining(expected)]);
  });

  test("the value after a misspelt option is no second number of nodes", async () => {
    const { err } = await runCli(["gpu", "up", "1", "--tiemout", "5", "--regoin", "x"]);
    expect([...err.matchAll(/fix: (.*)/g)].map(([, fix]) => fix)).toEqual([
      "did you mean --timeout?",
      "did you mean --region?",
    ]);
  });

  test.for([
    [["gpu", "status", "--clustr", "c", "--nodegroup", "g"], "did you mean --cluster?"],
    [["drill", "--contxt", "c"], "did you mean --context?"],
    [["drill", "--lst"], "did you mean --list?"],
    [["leftovers", "--delte", "--confirm", "x"], "did you mean --delete?"],
  ] as const)("%j: what follows from the misspelt option is no problem of its own", async ([args, fix]) => {
    const { status, err } = await runCli(args);
    expect([status, err.split("\n")]).toEqual([
      2,
      ["the command line: 1 problem in the input", expect.stringContaining("Unknown option."), `    fix: ${fix}`, ""],
    ]);
  });

  test.for([
    [["up", "--timout", "5", "--timeout", "abc"], "Must be a whole number of seconds"],
    [["up", "--stack", "s", "--nodegroup", "g", "--clster", "c"], "Cannot be combined with --cluster"],
  ] as const)("%j: other problems are reported, too", async ([args, why]) => {
    const { err } = await runCli(["gpu", ...args]);
    expect(err).toContain("the command line: 2 problems in the input");
    expect(err).toContain(why);
  });

  test.for([
    [["--region", "x y"], undefined, '--region: got "x y". Must be the name of an AWS region.'],
    [[], "us_east_1", 'AWS_REGION: got "us_east_1". Must be the name of an AWS region.'],
    [[], "frankfurt", 'AWS_REGION: got "frankfurt". Must be the name of an AWS region.'],
  ] as const)("the region of %j and AWS_REGION=%s is wrong", async ([args, variable, expected]) => {
    vi.stubEnv("AWS_REGION", variable);
    const at = ["--cluster", "c", ...args];
    for (const command of [["gpu", "status", "--nodegroup", "g"], ["leftovers"]]) {
      expect(await runCli([...command, ...at])).toMatchObject({
        status: 2,
        err: expect.stringContaining(expected) as string,
      });
    }
    vi.unstubAllEnvs();
  });

  test("a region is required", async () => {
    useAws("http://127.0.0.1:1");
    const { status, err } = await runCli(["gpu", "status", "--cluster", "c", "--nodegroup", "g"]);
    expect([status, err]).toEqual([2, expect.stringContaining("--region: got nothing. The region is missing")]);
  });
});
