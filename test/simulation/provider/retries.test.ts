import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../../simulation/cloud/faults";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { startProviders, type ProviderServers } from "../../../simulation/provider/serve";
import { ProviderClient } from "./provider-client";
import { smallCloud } from "./small-cloud";

const token = "aws:index/getRegion:getRegion";
const inputs = { name: "myeks", version: "1.35", vpcConfig: { subnetIds: ["subnet-1"] } };

let cloud: SimulatedCloud;
let served: ProviderServers;
let clients: ProviderClient[] = [];

beforeEach(async () => {
  cloud = smallCloud();
  served = await startProviders(cloud);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await served.close();
});

function client(type: string): ProviderClient {
  const made = new ProviderClient(served, type, "thing");
  clients = [...clients, made];
  return made;
}

/** Each kind of request, after a create that nothing disturbs. */
const requests: Readonly<Record<NonNullable<Fault["operation"]>, (aws: ProviderClient) => Promise<unknown>>> = {
  create: (aws) => aws.create({ ...inputs, name: "other" }),
  read: (aws) => aws.read("myeks"),
  update: (aws) => aws.update("myeks", { ...inputs, version: "1.36" }, {}),
  delete: (aws) => aws.delete("myeks"),
  invoke: (aws) => aws.invoke(token, {}),
};
const operations = Object.keys(requests) as (keyof typeof requests)[];

describe("throttled requests", () => {
  test.for(operations)("%s: the provider repeats it 25 times, and then fails", async (operation) => {
    const aws = client("aws:eks/cluster:Cluster");
    await aws.create(inputs);
    cloud.faults.add({ operation, effect: "throttle", times: 25 });
    await requests[operation](aws);
    expect(cloud.faults.pending).toEqual([]);
    const again =
      operation === "create" ? (aws: ProviderClient) => aws.create({ ...inputs, name: "third" }) : undefined;
    if (operation === "delete") await aws.create(inputs);
    cloud.faults.add({ operation, effect: "throttle", times: 26 });
    const failed = (again ?? requests[operation])(aws);
    await expect(failed).rejects.toMatchObject({ details: expect.stringContaining("Rate exceeded") as string });
  });

  test.for(operations)("%s: aws:maxRetries sets the number", async (operation) => {
    const aws = client("aws:eks/cluster:Cluster");
    await aws.configure({ maxRetries: "2" });
    await aws.create(inputs);
    cloud.faults.add({ operation, effect: "throttle", times: 3 });
    await expect(requests[operation](aws)).rejects.toMatchObject({
      details: expect.stringContaining("Rate exceeded") as string,
    });
  });

  test("each pause is twice as long as the one before, and at most 20 seconds", async () => {
    const aws = client("aws:eks/cluster:Cluster");
    await aws.configure({});
    const start = cloud.now;
    cloud.faults.add({ effect: "throttle", operation: "invoke", times: 7 });
    await aws.invoke(token, {});
    expect(cloud.now - start).toBe(1 + 2 + 4 + 8 + 16 + 20 + 20);
  });

  test("other errors are not repeated, and Kubernetes throttles nothing", async () => {
    const aws = client("aws:eks/cluster:Cluster");
    cloud.faults.add({ effect: "reject", code: "AccessDenied", message: "no" });
    await expect(aws.create(inputs)).rejects.toMatchObject({ details: expect.stringContaining("no") as string });
    cloud.faults.add({ effect: "throttle" });
    await client("kubernetes:core/v1:Secret").create({ metadata: { name: "one" } });
    expect(cloud.faults.pending).toHaveLength(1);
  });

  test("a share of 0.3 hits about 30 % of the requests, in each run the same ones", () => {
    const hits = () => {
      const { faults } = smallCloud();
      faults.add({ effect: "throttle", share: 0.3 });
      return Array.from({ length: 2000 }, () => faults.inject("create", "aws:x") !== undefined);
    };
    const first = hits();
    expect(hits()).toEqual(first);
    const share = first.filter(Boolean).length / first.length;
    expect(share).toBeGreaterThan(0.27);
    expect(share).toBeLessThan(0.33);
  });
});
