import { expect, test } from "vitest";
import type { Cloud } from "../../planner/record/record";
import { offlineCloud } from "../../planner/record/offline-cloud";
import { labs } from "../../stacks/labs";
import { abandonedCluster, changeOptions, otherLab, readFormerUpdate } from "../../stacks/run/former-cluster";
import { runLab } from "../../stacks/run/run-lab";
import { renderProblem } from "../../components/core/problems";
import { runPlan } from "../support/cli";
import { plan } from "../support/plan";

const former = { clusterName: "myeks", lab: "gpu-lab" } as const;
const confirmed = { replaceCluster: "myeks" };
const question = labs["gpu-lab"].question;

/** The offline cloud, with a stack that exported these outputs. */
function cloudWith(outputs: object): Cloud {
  const offline = offlineCloud("ap-northeast-2");
  const isState = (token: string) => token === "pulumi:pulumi:readStackOutputs";
  return { ...offline, call: (token, args) => (isState(token) ? { ...args, outputs } : offline.call(token, args)) };
}

async function read(cloud: Cloud) {
  let found: unknown;
  const { diagnostics } = await plan(async () => void (found = await readFormerUpdate()), { cloud });
  return { found, warnings: diagnostics.map(({ message }) => message) };
}

test.for([
  ["a first update", {}, {}],
  ["an update", { clusterName: "myeks", question }, former],
  [
    "an update that exports the place",
    { clusterName: "myeks", account: "123456789012", region: "us-east-1", question },
    { ...former, account: "123456789012", region: "us-east-1" },
  ],
  ["another version's question", { clusterName: "myeks", question: "Why?" }, { clusterName: "myeks" }],
  ["the cluster of another stack", { question: labs["device-plugin"].question }, { lab: "device-plugin" }],
] as const)("the outputs of %s", async ([, outputs, expected]) => {
  expect(await read(cloudWith(outputs))).toEqual({ found: expected, warnings: [] });
});

test("outputs that cannot be read are a warning", async () => {
  const call = () => {
    throw new Error("no backend client is available");
  };
  const { found, warnings } = await read({ outputsOf: () => ({}), call });
  expect(found).toBeUndefined();
  expect(warnings).toEqual([
    expect.stringMatching(/another clusterName, account or region is not detected: .*no backend client/),
  ]);
});

test("an offline plan knows no outputs, and judges no confirmation", async () => {
  expect(await read(offlineCloud("ap-northeast-2"))).toEqual({ found: undefined, warnings: [] });
  expect(abandonedCluster(undefined, confirmed, "environment", "o/p/gpu-lab")).toEqual([]);
  const configs = ["replaceCluster", "endSession"].flatMap((key) => ["--config", `confirm.${key}=myeks`]);
  expect(await runPlan(["--stack", "gpu-lab", ...configs])).toMatchObject({ status: 0, err: "" });
});

test("another cluster for a stack that created one, unless it is confirmed", () => {
  const paths = (update: object, confirm?: object) =>
    abandonedCluster(update, confirm, "environment", "o/p/gpu-lab").map(({ path }) => path);
  expect(paths({})).toEqual([]);
  expect(paths(former)).toEqual(["environment"]);
  expect(paths(former, confirmed)).toEqual([]);
  expect(paths({}, { ...confirmed, endSession: "g" })).toEqual(["confirm.endSession", "confirm.replaceCluster"]);
});

test("another lab for a stack that created a cluster, unless it is confirmed", () => {
  expect(otherLab(former, "gpu-lab")).toEqual([]);
  expect(otherLab({ lab: "gpu-lab" }, "nccl-block")).toEqual([]);
  expect(otherLab({ clusterName: "myeks" }, "nccl-block")).toEqual([]);
  expect(otherLab(former, "nccl-block").map(({ path }) => path)).toEqual(["lab"]);
  expect(otherLab(former, "nccl-block", confirmed)).toEqual([]);
});

test("a confirmation of another lab is not one that the preflight does not need", () => {
  expect(changeOptions(former, { lab: "gpu-lab", confirm: confirmed }).confirm).toEqual(confirmed);
  expect(changeOptions(former, { lab: "nccl-block", confirm: confirmed }).confirm).toEqual({});
  expect(changeOptions(former, { lab: "gpu-lab" }).formerClusterName).toBe("myeks");
});

test("the wording", () => {
  const problems = [...abandonedCluster(former, {}, "localCluster", "kind-lab"), ...otherLab(former, "nccl-block")];
  expect(problems.map((problem) => renderProblem(problem)).join("\n")).toMatchInlineSnapshot(`
    "localCluster: got "kind-lab". This stack created the cluster myeks. With localCluster, the update would delete that cluster with its nodes and everything that runs in it.
      fix: pulumi config rm localCluster; or use another stack: pulumi stack init NAME; or run pulumi destroy first; or pulumi config set --path confirm.replaceCluster myeks
    lab: got "nccl-block". This stack runs the lab gpu-lab in the cluster myeks. The names of its resources begin with gpu-lab, so the update would create every resource again and delete the existing ones, with the cluster and everything that runs in it.
      fix: pulumi config set lab gpu-lab; or use another stack: pulumi stack init NAME; or run pulumi destroy first; or pulumi config set --path confirm.replaceCluster myeks"
  `);
});

test.for([
  ["account", "999999999999", "the AWS account: got"],
  ["region", "us-east-1", "aws:region: got"],
])("a stack refuses another %s before it creates anything", async ([output = "", elsewhere, expected]) => {
  const values = { "eks-gpu-lab:publicAccessCidrs": '["8.8.8.8/32"]' };
  const here = { account: "123456789012", region: "ap-northeast-2" };
  const cloud = cloudWith({ clusterName: "myeks", question, ...here, [output]: elsewhere });
  await expect(plan(() => runLab(values, "gpu-lab"), { cloud })).rejects.toThrow(expected);
});

test("a stack refuses another lab before it creates anything", async () => {
  const values = { "eks-gpu-lab:publicAccessCidrs": '["8.8.8.8/32"]', "eks-gpu-lab:lab": "nccl-block" };
  const cloud = cloudWith({ clusterName: "myeks", question });
  await expect(plan(() => runLab(values, "gpu-lab"), { cloud })).rejects.toThrow('lab: got "nccl-block".');
});
