import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { types } from "../../simulation/aws/types";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import {
  cloudChanges,
  describeEngine,
  errorsOf,
  failing,
  ownAddress,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";
import { gpuNodes, scaleGpuNodes } from "./support/gpu-nodes";

const pods = [
  {
    metadata: { namespace: "team", name: "train-0" },
    spec: { nodeName: "ip-1", containers: [{ resources: { limits: { "nvidia.com/gpu": "1" } } }] },
  },
];
const server = createServer(({ url = "" }, response) => {
  const items = url.startsWith("/api/v1/nodes") ? [{ metadata: { name: "ip-1" } }] : pods;
  response.end(JSON.stringify({ items }));
});
const port = () => (server.address() as AddressInfo).port;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

/** Lets the endpoint of the cluster be a server on this machine. */
function connect(cloud: SimulatedCloud): void {
  const [cluster] = cloud.find(types.cluster);
  if (!cluster) throw new Error("The cluster does not exist.");
  const computed = { ...cluster.computed, endpoint: `http://127.0.0.1:${port()}`, certificateAuthority: { data: "" } };
  cloud.put({ ...cluster, computed });
}

const bigger = [ownAddress, "gpuNodes.diskSizeGiB=200"];
const otherBlock = [ownAddress, "network.cidr=10.20.0.0/16"];

// Each test continues where the previous one ended.
describeEngine("changes during a session", () => {
  const shared = sharedWorkspace();

  test("a change that ends nodes whose GPUs pods hold is refused, in a preview and in an update", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    connect(workspace.cloud);
    scaleGpuNodes(workspace.cloud, 1);
    await succeeding(workspace.preview({ expectNoChanges: true }));
    workspace.configure(bigger);
    for (const run of [() => workspace.preview(), () => workspace.up()]) {
      const errors = errorsOf(await failing(run()));
      expect(errors).toContain("gpuNodes.diskSizeGiB: got 200.");
      expect(errors).toContain(
        "1 GPU node would be terminated: ip-1. 1 pod would lose GPUs: team/train-0 (1 GPU of ip-1).",
      );
    }
  });

  test("another block of the VPC is refused, and changes nothing", async () => {
    const workspace = shared.current;
    workspace.configure(otherBlock);
    expect(errorsOf(await failing(workspace.up()))).toContain('network.cidr: got "10.20.0.0/16".');
    workspace.configure([ownAddress]);
    await succeeding(workspace.preview({ expectNoChanges: true }));
  });

  test("a stack that failed keeps the name of its cluster, so that another name is refused", async () => {
    const workspace = shared.current;
    workspace.configure([ownAddress, "clusterName=other"]);
    expect(errorsOf(await failing(workspace.preview()))).toContain('clusterName: got "other".');
  });

  test("a confirmed change is made, and its confirmation is refused afterwards", async () => {
    const workspace = shared.current;
    const { nodeGroupName } = gpuNodes(workspace.cloud).computed;
    workspace.configure([...bigger, `confirm.endSession=${String(nodeGroupName)}`]);
    const up = await succeeding(workspace.up());
    expect(cloudChanges(up)).toContain("update NodeGroup gpu-lab-gpu: launchTemplate.version");
    expect(up.diagnostics.map(({ message }) => message).join("\n")).toContain("team/train-0");
    expect(errorsOf(await failing(workspace.preview()))).toContain("confirm.endSession: got");
    workspace.configure(bigger);
    await succeeding(workspace.preview({ expectNoChanges: true }));
    await expectNoOrphan(workspace);
  });

  test("a confirmed change of the network fails halfway, a preview says so, and a destroy leaves nothing", async () => {
    const workspace = shared.current;
    workspace.configure([...otherBlock, "gpuNodes.diskSizeGiB=200", "confirm.replaceCluster=myeks"]);
    expect(errorsOf(await failing(workspace.up()))).toContain("DependencyViolation");
    workspace.configure(bigger);
    const { diagnostics } = await succeeding(workspace.preview());
    expect(diagnostics.map(({ message }) => message).join("\n")).toContain("an earlier update failed halfway");
    expect(errorsOf(await failing(workspace.up()))).toContain("DependencyViolation");
    await succeeding(workspace.destroy());
    expect(workspace.cloud.objects).toEqual([]);
  });
});
