import { afterAll, beforeAll, expect, test } from "vitest";
import { runGpu } from "../../commands/gpu/gpu";
import { rehearsedSession } from "../../commands/rehearse/rehearse";
import { instancesOf } from "../../simulation/aws/eks/nodes/instances";
import { types } from "../../simulation/aws/types";
import { serveAccount, type AccountServer, type Exchange } from "../../simulation/http/account-server";
import { useAws } from "../support/aws-environment";
import { exchangeProblems, missingModels } from "../support/aws-models";
import { captured, onText } from "../support/cli";
import { cloudChanges, describeEngine, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { gpuNodes } from "./support/gpu-nodes";

// The commands of a session, with the AWS SDK, on a stack that the engine has deployed in the simulated account.
// All tests use one stack. Each test continues where the previous one ended.
describeEngine("gpu up, status and down on a deployed stack", () => {
  const shared = sharedWorkspace();
  const exchanges: Exchange[] = [];
  let server: AccountServer;
  let place: readonly string[];

  beforeAll(async () => {
    const { outputs } = await succeeding(shared.current.up());
    server = await serveAccount(shared.current.cloud, (exchange) => void exchanges.push(exchange));
    const option = (name: string) => new RegExp(`--${name} (\\S+)`).exec(String(outputs["scaleUp"]))?.[1] ?? "";
    const [cluster, group] = [option("cluster-name"), option("nodegroup-name")];
    place = ["--cluster", cluster, "--nodegroup", group, "--region", option("region")];
  });
  afterAll(() => server.close());

  /** Runs a command of the session. */
  async function gpu(...args: readonly string[]) {
    useAws(server.endpoint);
    return captured((console) => runGpu([...args, ...place], console, { intervalMs: 20 }));
  }
  const running = () => instancesOf(shared.current.cloud, gpuNodes(shared.current.cloud)).length;

  test("up starts nodes, status shows them, and no update of the stack ends them", async () => {
    expect((await gpu("status")).out).toContain("instances  none");
    const up = await gpu("up", "2");
    expect([up.status, running()], up.err).toEqual([0, 2]);
    expect(up.out).toContain("The session runs: 2 instances in service");
    const status = await gpu("status", "--json");
    expect(JSON.parse(status.out)).toMatchObject({
      group: { status: "ACTIVE", sizes: { desired: 2, min: 0, max: 2 } },
      instances: [
        { type: "g5.xlarge", state: "running" },
        { type: "g5.xlarge", state: "running" },
      ],
      ...{
        cost: { usdPerHour: expect.closeTo(2.499, 3) as number, complete: true, soFar: { complete: true } },
        reasons: [],
      },
    });
    const { cost } = JSON.parse(status.out) as { cost: { soFar: { usd: number } } };
    expect(cost.soFar.usd).toBeLessThan(0.5);
    await succeeding(shared.current.preview({ expectNoChanges: true }));
    expect(cloudChanges(await succeeding(shared.current.up({ refresh: true })))).toEqual([]);
    expect(running()).toBe(2);
  });

  test("with owner pulumi, a refresh sees the session as drift, which the next update would end", async () => {
    shared.current.configure([ownAddress, "gpuNodes.owner=pulumi"]);
    await succeeding(shared.current.refresh());
    expect(cloudChanges(await succeeding(shared.current.preview()))).toEqual([
      "update NodeGroup gpu-lab-gpu: scalingConfig.desiredSize",
    ]);
    shared.current.configure([ownAddress]);
  });

  test("down ends them", async () => {
    const { status, out } = await gpu("down");
    expect([status, running()]).toEqual([0, 0]);
    expect(out).toContain("The session is over: no instance is left");
  });

  test("without quota, up refuses before it requests nodes", async () => {
    const { account } = shared.current.cloud;
    account.gpuVcpuQuota = 0;
    const { status, out } = await gpu("up", "1", "--json");
    account.gpuVcpuQuota = 8;
    expect([status, running()]).toEqual([2, 0]);
    expect(JSON.parse(out)).toMatchObject({
      ...{ outcome: "refused", requested: null, group: { status: "ACTIVE", sizes: { desired: 0 } }, reasons: [] },
      preflight: {
        checks: expect.arrayContaining([expect.objectContaining({ id: "quota", status: "problem" })]) as unknown,
      },
    });
  });

  test("without capacity, up waits until there is some, or until the time is over", async () => {
    const { account } = shared.current.cloud;
    account.soldOut = ["g5.xlarge"];
    const late = await gpu("up", "1", "--timeout", "1", "--json");
    expect(late.status).toBe(1);
    expect(JSON.parse(late.out)).toMatchObject({ outcome: "timeout", reasons: [{ id: "capacity" }] });
    useAws(server.endpoint);
    const { status, err } = await captured((console) => {
      const watched = onText(console, "EC2 has no capacity", () => (account.soldOut = []));
      return runGpu(["up", "1", ...place], watched, { intervalMs: 20 });
    });
    expect([status, running()], err).toEqual([0, 1]);
    expect(err).toMatch(/instances running: 0 of 1.*EC2 has no capacity for the instance type/);
    expect((await gpu("down")).status).toBe(0);
  });

  test("with lease.hours, up sets the end of the session, down removes it, and destroy deletes it", async () => {
    const { cloud } = shared.current;
    shared.current.configure([ownAddress, "lease.hours=6"]);
    const { outputs } = await succeeding(shared.current.up());
    const session = (action: "up" | "down") => rehearsedSession(action, { outputs, endpoint: server.endpoint });
    const ends = () => cloud.find(types.schedule).filter(({ id }) => id.includes("/session-"));
    expect((await session("up")).rejected).toBe(false);
    expect(ends().map(({ inputs }) => inputs["actionAfterCompletion"])).toEqual(["DELETE"]);
    await succeeding(shared.current.preview({ expectNoChanges: true }));
    expect((await session("down")).rejected).toBe(false);
    expect(ends()).toEqual([]);
    await session("up");
    expect(ends().length).toBe(1);
  });

  test("destroy leaves nothing", async () => {
    await succeeding(shared.current.destroy());
    expect(shared.current.cloud.objects).toEqual([]);
  });

  test("every request and every answer is valid by the models of AWS", ({ skip }) => {
    const missing = missingModels();
    if (missing !== undefined) return skip(missing);
    expect(exchanges.length).toBeGreaterThan(30);
    expect([...new Set(exchangeProblems(exchanges))]).toEqual([]);
  });
});
