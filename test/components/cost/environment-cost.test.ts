import { expect, test, vi } from "vitest";
import { costNotes } from "../../../components/cost/cost-notes";
import { environmentCost, type EnvironmentSizes } from "../../../components/cost/environment-cost";

vi.mock("../../../components/cost/price-table.json", () => import("../../fixtures/price-table.json"));

/** The gpu-lab stack. */
const gpuLab: EnvironmentSizes = {
  region: "ap-northeast-2",
  kubernetesVersion: "1.35",
  natGateways: 1,
  publicIpv4: 1,
  systemNodes: { instanceType: "t3.medium", desiredSize: 2, diskSizeGiB: 30 },
  gpuNodes: { instanceType: "g5.xlarge", desiredSize: 0, diskSizeGiB: 100, capacityType: "ON_DEMAND" },
  secretsKey: "own",
  interfaceEndpoints: 0,
  now: new Date("2026-11-21"),
};

const items = (lines: readonly { item: string; quantity: number | undefined }[]) =>
  lines.map(({ item, quantity }) => [item, quantity]);

test("gpu-lab in Seoul costs what a computation by hand gives", () => {
  // 0.10 control plane + 0.104 two t3.medium + 0.059 NAT gateway + 0.005 its address
  // + 1/730 = 0.00136986… KMS key + 60 GB x 0.0912 / 730 = 0.00749589… disks = 0.27686575…
  const { atRest, perMonthAtRest, perGpuNodeHour } = environmentCost(gpuLab);
  expect(atRest.usdPerHour).toBeCloseTo(0.27686575342, 10);
  // 73 + 75.92 + 43.07 + 3.65 + 1 + 5.472 = 202.112
  expect(perMonthAtRest).toBeCloseTo(202.112, 9);
  expect(atRest.complete).toBe(true);
  // 1.237 instance + 100 GB x 0.0912 / 730 = 0.01249315…
  expect(perGpuNodeHour.usdPerHour).toBeCloseTo(1.24949315068, 10);
});

test("gpu-lab's lines", () => {
  const cost = environmentCost(gpuLab);
  expect(items(cost.atRest.lines)).toEqual([
    ["t3.medium, on demand", 2],
    ["EKS control plane", 1],
    ["NAT gateway", 1],
    ["EBS gp3 storage", 60],
    ["public IPv4 address", 1],
    ["KMS key", 1],
  ]);
  expect(items(cost.perGpuNodeHour.lines)).toEqual([
    ["g5.xlarge, on demand", 1],
    ["EBS gp3 storage", 100],
  ]);
  expect(cost.usageBased.map(({ item, usdPerUnit }) => [item, usdPerUnit])).toEqual([
    ["CloudWatch Logs ingest", 0.76],
    ["NAT gateway data", 0.059],
  ]);
});

test.for([
  ["two GPU nodes", { gpuNodes: { ...gpuLab.gpuNodes, desiredSize: 2 } }, 2 * 1.24949315068],
  ["no NAT gateway", { natGateways: 0, publicIpv4: 0 }, -0.064],
  ["a NAT gateway a zone", { natGateways: 3, publicIpv4: 3 }, 2 * 0.064],
  ["a key of one's own elsewhere", { secretsKey: "arn:aws:kms:ap-northeast-2:123456789012:key/a" }, -1 / 730],
  ["five endpoints in three zones", { interfaceEndpoints: 15 }, 0.195],
  ["extended support", { now: new Date("2027-04-01") }, 0.5],
  ["extended support refused", { now: new Date("2027-04-01"), supportType: "STANDARD" }, 0],
] as const)("%s: the difference from gpu-lab", ([, change, difference]) => {
  const usd = (sizes: EnvironmentSizes) => environmentCost(sizes).atRest.usdPerHour;
  expect(usd({ ...gpuLab, ...change }) - usd(gpuLab)).toBeCloseTo(difference, 9);
});

test("usage follows what there is", () => {
  const cost = environmentCost({ ...gpuLab, natGateways: 0, interfaceEndpoints: 15 });
  expect(cost.usageBased.map(({ item }) => item)).toEqual(["CloudWatch Logs ingest", "interface endpoint data"]);
});

test("spot nodes are priced as on demand, with a note", () => {
  const spot = environmentCost({ ...gpuLab, gpuNodes: { ...gpuLab.gpuNodes, capacityType: "SPOT" } }).perGpuNodeHour;
  expect(spot.usdPerHour).toBeCloseTo(1.24949315068, 10);
  expect(spot.lines[0]?.note).toBe(costNotes.spot);
});

test("a region without prices is all unknown, not free", () => {
  const { atRest } = environmentCost({ ...gpuLab, region: "cn-north-1" });
  expect(atRest).toMatchObject({ usdPerHour: 0, complete: false });
  expect(atRest.lines.map((line) => line.status)).toEqual(Array(6).fill("unknown"));
});

test("the result is plain JSON", () => {
  const cost = environmentCost(gpuLab);
  expect(JSON.parse(JSON.stringify(cost))).toEqual(cost);
});
