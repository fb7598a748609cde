import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { PreviewDocument, PreviewState } from "../../planner/report/json";
import { unknownSentinel } from "../../components/core/wire";
import { firstLine, type Finished } from "../package/project";
import { installedExample, shell, textOf } from "./examples";

const statesOf = ({ out }: Finished, type: string): PreviewState[] => {
  const { steps } = JSON.parse(out) as PreviewDocument;
  return steps.map(({ newState }) => newState).filter((state) => state.type === type);
};

describe("existing-cluster", () => {
  let copy: string;
  let planned: Finished;

  beforeAll(async () => {
    copy = await installedExample("existing-cluster");
    planned = await shell("npx eks-gpu-lab plan --json", copy);
  });

  test("creates nodes, operator and lease, and neither network nor cluster", () => {
    expect(statesOf(planned, "aws:eks/nodeGroup:NodeGroup")).toMatchObject([
      { inputs: { clusterName: "prod", scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 2 } } },
    ]);
    expect(statesOf(planned, "kubernetes:helm.sh/v3:Release")).toMatchObject([
      {
        inputs: { chart: "gpu-operator", values: { dcgm: { enabled: true } } },
        provider: expect.stringContaining("::pulumi:providers:kubernetes::cluster::") as string,
      },
    ]);
    const others = ["aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "eks:index:Cluster", "aws:eks/cluster:Cluster"];
    expect(others.flatMap((type) => statesOf(planned, type))).toEqual([]);
  });

  test("leaves unknown what it would look up in AWS", () => {
    const [template] = statesOf(planned, "aws:ec2/launchTemplate:LaunchTemplate");
    expect(template?.inputs?.["vpcSecurityGroupIds"]).toEqual([unknownSentinel]);
  });

  test("rejects wrong arguments with exit status 2 and every problem", async () => {
    const { status, out, err } = await shell("node_modules/.bin/eks-gpu-lab plan --config maxSize=0", copy);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(/^1 problem with GpuNodeGroup "gpu":\n {2}maxSize: got 0\. /);
  });
});

test("existing-cluster-esm plans what existing-cluster plans, and cannot import a folder of a provider", async () => {
  const [module = "", script = ""] = await Promise.all(
    ["existing-cluster-esm", "existing-cluster"].map(installedExample),
  );
  await writeFile(
    join(module, "folder.ts"),
    'import { Cluster } from "@pulumi/aws/eks";\n\nexport const cluster = Cluster;\n',
  );
  const { status, out } = await shell("npx tsc", module);
  expect([status, out.trim().split("\n")]).toEqual([
    2,
    [expect.stringMatching(/^folder\.ts\(1,25\): error TS2307: .*'@pulumi\/aws\/eks'/)],
  ]);
  expect((await shell("node build/folder.js", module)).err).toContain("ERR_UNSUPPORTED_DIR_IMPORT");

  const [one, other] = await Promise.all([module, script].map((copy) => shell("npx eks-gpu-lab plan", copy)));
  expect(one?.out).toContain(" to create");
  expect(one?.out.replace("existing-cluster-esm", "existing-cluster")).toBe(other?.out);
});

test("whole-environment is a program of at most 25 lines", () => {
  expect(textOf("whole-environment", "index.ts").trimEnd().split("\n").length).toBeLessThanOrEqual(25);
});

test("own-lab injects its fault only until an end, and only in a lab stack", async () => {
  const copy = await installedExample("own-lab");
  const endless = await shell("npx eks-gpu-lab plan --config fault=on", copy);
  expect([endless.status, endless.err]).toEqual([2, expect.stringMatching(/^ {2}expires: /m)]);
  const tomorrow = `$(node -p 'new Date(Date.now() + 24 * 3600e3).toISOString()')`;
  const plan = `npx eks-gpu-lab plan --stack prod --config fault=on --config expires="${tomorrow}"`;
  const elsewhere = await shell(`mv Pulumi.sharing-lab.yaml Pulumi.prod.yaml && ${plan}`, copy);
  expect([elsewhere.status, elsewhere.err]).toEqual([2, expect.stringMatching(/^ {2}stack: got "prod"\./m)]);
});

test("the engine starts the pack of policies-only, from TypeScript", async () => {
  const copy = await installedExample("policies-only");
  const runner = join(copy, "node_modules/@pulumi/pulumi/cmd/run-policy-pack/index.js");
  expect(await firstLine(process.execPath, [runner, "127.0.0.1:0", "."], join(copy, "policies"))).toMatch(/^\d{2,5}$/);
});

test("the test of unit-test fails as its README says", async () => {
  const copy = await installedExample("unit-test");
  const [, sizes = ""] = /Set `(.+)` for the GPU nodes/.exec(textOf("unit-test", "README.md")) ?? [];
  const group = "gpuNodes: { ";
  const program = textOf("unit-test", "index.ts");
  expect(program).toContain(group);
  await writeFile(join(copy, "index.ts"), program.replace(group, `${group}${sizes}, `));
  const { status, out } = await shell("NODE_OPTIONS=--test-reporter=tap npm test", copy);
  expect([status, out]).toEqual([1, expect.stringMatching(/^not ok 1 - no GPU node[^]*AssertionError[^]*^ok 2 - /m)]);
  expect(out).toContain("desiredSize: 1");
});
