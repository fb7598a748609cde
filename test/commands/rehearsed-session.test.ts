import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { rehearsedSession } from "../../commands/rehearse/rehearse";
import { types } from "../../simulation/aws/types";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { serveAccount, type AccountServer } from "../../simulation/http/account-server";
import { clusterForNodes, gpuInputs, makeGroup } from "../simulation/aws/eks/foundation";

vi.mock("../../components/cost/price-table.json", () => import("../fixtures/price-table.json"));

let cloud: SimulatedCloud;
let server: AccountServer;

beforeAll(async () => {
  cloud = await clusterForNodes();
  await makeGroup(cloud, gpuInputs);
  server = await serveAccount(cloud);
});
afterAll(() => server.close());

function session(action: "up" | "down", gpuNodes: number, timeoutMs?: number) {
  const scaleUp = "aws eks update-nodegroup-config --region ap-northeast-2 --cluster-name lab --nodegroup-name gpu";
  return rehearsedSession(action, { outputs: { scaleUp, gpuNodes }, endpoint: server.endpoint }, timeoutMs);
}

test("starts as many nodes as the lab needs, and ends them", async () => {
  expect(await session("up", 2)).toEqual({ text: "gpu: 2 instances, 2.4790 USD per hour", rejected: false });
  expect(cloud.find(types.instance).length).toBe(2);
  expect(await session("down", 2)).toEqual({ text: "gpu: 0 instances", rejected: false });
  expect(cloud.find(types.instance)).toEqual([]);
});

test("says why nodes cannot start, and starts none", async () => {
  const { text, rejected } = await session("up", 3);
  expect([rejected, text]).toEqual([true, expect.stringContaining("gpu: 0 instances. The session ends with refused.")]);
  expect(text).toContain("3 x g5.xlarge need 12 vCPU. The account's quota L-DB2E81BA is 8 vCPU.");
});

test("says why nodes are missing", async () => {
  cloud.account.soldOut = ["g5.xlarge"];
  const { text, rejected } = await session("up", 1, 2000);
  cloud.account.soldOut = [];
  expect([rejected, text]).toEqual([true, expect.stringContaining("gpu: 0 instances. The session ends with timeout.")]);
  expect(text).toContain("AWS: We currently do not have sufficient g5.xlarge capacity in the Availability Zone");
  await session("down", 1);
});

test("what EKS or the tool refuses is reported", async () => {
  expect(await session("up", 9)).toMatchObject({
    rejected: true,
    text: expect.stringContaining("at most 4") as string,
  });
  const at = { outputs: { clusterName: "none", gpuNodeGroupName: "gpu" }, endpoint: server.endpoint };
  const { text, rejected } = await rehearsedSession("down", at);
  expect([rejected, text]).toEqual([true, expect.stringContaining("No cluster found for name: none.")]);
});
