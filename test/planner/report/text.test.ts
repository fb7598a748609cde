import { beforeAll, describe, expect, test } from "vitest";
import { controlPlane, instances } from "../../../components/cost/cost-lines";
import type { CostReport } from "../../../planner/cost/cost";
import { renderText } from "../../../planner/report/text";
import type { Recording } from "../../../planner/record/record";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { finding, planOf, recordingOf, unpricedCost } from "../recordings";

const wide = { colors: false, columns: 120 };

const stated = { status: "stated", priceDate: "2026-07-20", source: "a price list" } as const;
const cost: CostReport = {
  region: "ap-northeast-2",
  atRest: {
    lines: [
      { item: "EKS control plane", unit: "cluster-hour", quantity: 1, usdPerUnit: 0.1, usdPerHour: 0.1, ...stated },
      {
        item: "t3.medium, on demand",
        unit: "instance-hour",
        quantity: 2,
        usdPerUnit: 0.052,
        usdPerHour: 0.104,
        ...stated,
      },
    ],
    usdPerHour: 0.204,
    usdPerMonth: 148.92,
    complete: true,
  },
  gpuGroups: [
    { name: "lab-gpu", instanceType: "g5.xlarge", maxSize: 2, usdPerNodeHour: 1.25, usdPerHourAtMax: 2.5, lines: [] },
  ],
  sessionHour: { usd: 2.704, complete: true, lines: [] },
  usageBased: [{ item: "NAT gateway data", unit: "GB", usdPerUnit: 0.059, ...stated }],
  pricesAsOf: "2026-07-20",
  priceTable: { date: "2026-08-01" },
  sources: ["a price list, 2026-07-20"],
};

describe("the lab's report", () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await plan(() => labProgram({ operator: true, warns: true, secret: "hunter2" }), { stack: "gpu-lab" });
  });

  test("contains all sections in this order", () => {
    const findings = [
      finding({ name: "lab-gpu" }),
      finding({ verdict: "unknown", rule: "quota", name: "", message: "later" }),
    ];
    expect(renderText(planOf(recording, { cost, findings }), wide)).toMatchInlineSnapshot(`
      "Stack gpu-lab of eks-gpu-lab in ap-northeast-2: 57 to create (49 resources, 7 components, 1 stack)

      Resources
        GpuEnvironment lab        49  4 Addon, Role, kubernetes provider
          EksCluster               1  eks Cluster
          GpuNodeGroup gpu         3  LaunchTemplate, NodeGroup, Role
          GpuOperator              1  Release
          NodeFirewall            15  12 SecurityGroupIngressRule, 2 SecurityGroup,
                                      SecurityGroupEgressRule
          SystemNodeGroup system   3  LaunchTemplate, NodeGroup, Role
          Vpc                     20  6 RouteTableAssociation, 6 Subnet, 2 Route, 2 RouteTable, Eip,
                                      InternetGateway, NatGateway, Vpc

      GPU nodes  myeks-ng-gpu
        instance  g5.xlarge on demand: 1 x NVIDIA A10G (22.4 GiB each), 4 vCPU
        zone      ap-northeast-2a: subnet lab-private-0
        size      desired 0, min 0, max 2
        quota     8 vCPU of L-DB2E81BA at maximum size (2 x 4)
        disk      100 GiB gp3, encrypted
        AMI       AL2023_x86_64_NVIDIA, release 1.35.8-20260930
        taints    nvidia.com/gpu=true:NO_SCHEDULE
        owner     session: commands change the desired size, updates ignore it
        price     USD 1.2500 per node-hour including the disk, USD 2.5000 per hour at maximum size

      Cost at rest, in USD                 per hour  per month
        t3.medium, on demand  2 instances    0.1040      75.92
        EKS control plane     1 cluster      0.1000      73.00
        total                                0.2040     148.92
        One hour with all GPU nodes running: USD 2.7040
        Usage-based charges, in USD: NAT gateway data 0.059 per GB
        Price table of 2026-08-01; oldest price used from 2026-07-20; before taxes. Sources: a price list,
        2026-07-20

      Messages
        warning: publicAccessCidrs: 203.0.113.0/24 is a documentation address

      Policies
        FAIL     gpu-taint (high): lab-gpu
                 taints: got nothing. Pods that need no GPU can fill this node.
                 fix: add the taint
        unknown  quota (high): the stack
                 later

      Rejected by the policy pack lab 1.2.3 (24 rules): 1 mandatory rule failed: gpu-taint; 1 verdict
      unknown before the update
      Fix the failed rules, then run: npx eks-gpu-lab plan --stack gpu-lab
      "
    `);
  });

  test("warns of the end of EKS's support below the costs, and repeats no other note of a priced line", () => {
    const ending = controlPlane({ region: "ap-northeast-2", kubernetesVersion: "1.34", now: new Date("2026-11-26") });
    const priced = {
      ...cost.atRest,
      lines: [...cost.atRest.lines.map((one) => ({ ...one, note: "spot" })), ...ending],
    };
    const text = renderText(planOf(recording, { cost: { ...cost, atRest: priced } }), { ...wide, columns: 200 });
    expect(text.replace(/\s+/g, " ")).toContain(
      "Warning: Kubernetes 1.34 leaves standard support on 2026-12-02; extended support then adds USD 0.50",
    );
    expect(text).not.toContain("Warning: spot");
  });

  test("takes 30 to 55 lines of at most 100 characters", () => {
    const lines = renderText(planOf(recording, { cost }), wide).split("\n");
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.length).toBeLessThan(55);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test.for([72, 60, 50, 40])("fits a terminal with %i columns", (columns) => {
    const findings = [finding({ name: "lab-gpu", message: `taints: got nothing. ${"Why ".repeat(60)}\nfix: add it` })];
    const lines = renderText(planOf(recording, { cost, findings }), { colors: false, columns }).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.join(" ")).toMatch(/SecurityGroupIngressRule.*0\.2040 +148\.92/); // no name or sum is cut
  });

  test("is the same with colors and without", () => {
    const findings = [finding({ name: "lab-gpu" }), finding({ level: "advisory", rule: "x" })];
    const colored = renderText(planOf(recording, { cost, findings }), { colors: true, columns: 100 });
    expect(colored).toContain("\u001b[31mFAIL");
    // eslint cannot read this without the control character, which is the point.
    const stripped = colored.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g"), "");
    expect(stripped).toBe(renderText(planOf(recording, { cost, findings }), { colors: false, columns: 100 }));
  });

  test("contains no secret, and is the same each time", () => {
    const text = renderText(planOf(recording, { cost }), wide);
    expect(text).not.toContain("hunter2");
    expect(renderText(planOf(recording, { cost }), wide)).toBe(text);
  });
});

test("a plan without GPUs, findings and warnings has no section for them", () => {
  const recording = recordingOf([{ type: "aws:s3/bucket:Bucket", name: "b" }]);
  const none = { ...cost, gpuGroups: [], usageBased: [] };
  expect(renderText(planOf(recording, { cost: none }), wide)).toMatchInlineSnapshot(`
    "Stack test of lab in ap-northeast-2: 2 to create (1 resource, 0 components, 1 stack)

    Resources
      not in a component  1  Bucket

    GPU nodes  none

    Cost at rest, in USD                 per hour  per month
      t3.medium, on demand  2 instances    0.1040      75.92
      EKS control plane     1 cluster      0.1000      73.00
      total                                0.2040     148.92
      Price table of 2026-08-01; oldest price used from 2026-07-20; before taxes. Sources: a price list,
      2026-07-20

    Accepted by the policy pack lab 1.2.3 (24 rules)
    Next, preview it with Pulumi: pulumi preview --stack test
    "
  `);
});

test.for([
  [2, "max 2"],
  [undefined, "known after the update"],
] as const)("GPU nodes outside a managed group, at most %s, are named", ([maxSize, size]) => {
  const recording = recordingOf([{ type: "eks:index:NodeGroupV2", name: "workers" }]);
  const [group] = cost.gpuGroups;
  if (!group) throw new Error("The cost has no group.");
  const priced = { ...cost, gpuGroups: [{ ...group, name: "workers", instanceType: "g5.xlarge", maxSize }] };
  const text = renderText(planOf(recording, { cost: priced }), wide);
  expect(text).toContain(`GPU nodes  workers\n  instance  g5.xlarge\n  size      ${size}\n`);
});

test("a plan of components of @pulumi/eks says in which region, and that it has no GPU nodes", () => {
  const none = { ...cost, gpuGroups: [] };
  const text = renderText(planOf(recordingOf([{ type: "eks:index:Cluster", name: "c" }]), { cost: none }), wide);
  expect(text).toContain(" of lab in ap-northeast-2: ");
  expect(text).toContain("GPU nodes  none");
});

test("an empty program has a report, too", () => {
  expect(renderText(planOf(recordingOf([])), wide)).toMatch(/: 1 to create \(0 resources, 0 components, /);
});

test("a total without some prices is a lower bound, and each unknown cost is named once, with the others of its reason", () => {
  const unpriced = {
    item: "q9.xlarge",
    unit: "instance-hour",
    usdPerUnit: undefined,
    status: "unknown",
    note: "no price known",
  } as const;
  const line = { ...unpriced, quantity: 1, usdPerHour: undefined };
  const atRest = { ...cost.atRest, lines: [...cost.atRest.lines, line, { ...line, item: "a lake" }], complete: false };
  const incomplete: CostReport = {
    ...cost,
    atRest,
    sessionHour: { usd: 2.7, complete: false, lines: [] },
    usageBased: [{ ...unpriced, item: "logs", unit: "GB" }],
  };
  const text = renderText(planOf(recordingOf([]), { cost: incomplete }), wide);
  expect(text.match(/q9\.xlarge/g)).toHaveLength(1);
  expect(text.slice(text.indexOf("  total"), text.indexOf("  Price table"))).toMatchInlineSnapshot(`
    "  total, at least                      0.2040     148.92
      One hour with all GPU nodes running: at least USD 2.7000
      Usage-based charges, in USD: logs at an unknown price
      Unknown cost: q9.xlarge, a lake (no price known)
    "
  `);
});

test("without any price, the cost is unknown and there is no source", () => {
  const text = renderText(planOf(recordingOf([]), { cost: unpricedCost }), wide);
  expect(text).toMatch(/^ {2}total +unknown +unknown$/m);
  expect(text).toMatch(/GPU nodes running: unknown\n/);
  expect(text).not.toMatch(/Price table|0\.00|at least/);
});

test("GPU nodes without a price are named, with the reason", () => {
  const [line] = instances("cn-north-1", "p5.48xlarge", 1);
  if (!line) throw new Error("no line");
  const group = { type: "aws:eks/nodeGroup:NodeGroup", name: "gpu", inputs: { instanceTypes: ["p5.48xlarge"] } };
  const incomplete: CostReport = {
    ...cost,
    gpuGroups: [
      {
        ...{ name: "gpu", instanceType: "p5.48xlarge", maxSize: 1, lines: [line] },
        ...{ usdPerNodeHour: undefined, usdPerHourAtMax: undefined },
      },
    ],
    sessionHour: { usd: 0.204, complete: false, lines: [...cost.atRest.lines, line] },
  };
  const text = renderText(planOf(recordingOf([group]), { cost: incomplete }), wide);
  const why = "p5.48xlarge, on demand (no price available in cn-north-1)";
  expect(text).toContain("GPU nodes running: at least USD 0.2040, without p5.48xlarge, on demand\n");
  expect(text).toContain(`\n  Unknown cost: ${why}\n`);
  expect(text).toMatch(/^ +price +unknown: p5\.48xlarge, on demand \(no price available in cn-north-1\)$/m);
});

test("an old price table is a warning", () => {
  const priceTable = { date: "2026-11-21", warning: "The price table is 181 days old." };
  const text = renderText(planOf(recordingOf([]), { cost: { ...unpricedCost, priceTable } }), wide);
  expect(text).toContain("Warning: The price table is 181 days old.");
});

test("a free program has a known cost of 0", () => {
  expect(renderText(planOf(recordingOf([])), wide)).toMatch(/^ {2}total +0\.0000 +0\.00$/m);
});

test("messages of the program are printed once, information is not", () => {
  const diagnostics = [
    { severity: "warning", message: "take care\nsecond line" },
    { severity: "warning", message: "take care\nsecond line", urn: "u" },
    { severity: "info", message: "quiet" },
    { severity: "error", message: "broken" },
  ] as const;
  const text = renderText(planOf(recordingOf([], { diagnostics: [...diagnostics] }), { cost }), wide);
  expect(text).toContain("\nMessages\n  warning: take care\n  second line\n  error: broken\n");
  expect(text).not.toContain("quiet");
});
