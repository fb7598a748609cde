import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

/** A pod that holds a GPU of the node ip-1. */
const pod = {
  metadata: { namespace: "team", name: "train-0" },
  spec: { nodeName: "ip-1", containers: [{ resources: { limits: { "nvidia.com/gpu": "1" } } }] },
};

/** An API server with the node ip-1, for all tests of a file. */
export function servePods() {
  let pods = [pod];
  const server = createServer(({ url = "" }, response) => {
    const items = url.startsWith("/api/v1/nodes") ? [{ metadata: { name: "ip-1" } }] : pods;
    response.end(JSON.stringify({ items }));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void server.close());
  return {
    /** The pod ends. */
    finish: () => (pods = []),
    /** Lets the endpoint of the cluster be this server. */
    connect(cloud: SimulatedCloud): void {
      const [cluster] = cloud.find(types.cluster);
      if (!cluster) throw new Error("The cluster does not exist.");
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      cloud.put({ ...cluster, computed: { ...cluster.computed, endpoint, certificateAuthority: { data: "" } } });
    },
  };
}
