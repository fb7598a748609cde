import { expect, test } from "vitest";
import { types } from "../../simulation/aws/types";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { runScaleCommand } from "../../simulation/rehearsal/session";
import { expectNoOrphan } from "./support/cloud-and-state";
import {
  cloudChanges,
  errorsOf,
  describeEngine,
  failing,
  ownAddress,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { gpuHealth, gpuNodes, gpuReleases, scaleGpuNodes } from "./support/gpu-nodes";

const [next, afterNext] = ["1.35.9-20261101", "1.35.9-20261115"];
const withRelease = (release: string) => `gpuNodes.releaseVersion=${release}`;

/** What Auto Scaling says when the account's vCPUs are used up. */
function exceeded(limit: number): string {
  return (
    "AsgInstanceLaunchFailures: Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU " +
    `capacity than your current vCPU limit of ${limit} allows`
  );
}

/** Somebody else's node of 8 vCPUs in the same account: the quota is the account's, and the preflight sees its size alone. */
function startElsewhere(cloud: SimulatedCloud): void {
  cloud.put({ type: types.instance, id: "i-elsewhere", inputs: { instanceType: "g5.2xlarge" }, computed: {} });
}

// One story on one stack: each test goes on where the one before it ended.
describeEngine("the account's vCPU quota", () => {
  const shared = sharedWorkspace();
  const upWith = (...config: string[]) => {
    shared.current.configure([ownAddress, ...config]);
    return shared.current.up();
  };

  test("a session gets the nodes that fit, is told why not the others, and has them all when the quota is raised", async () => {
    const { cloud } = shared.current;
    const { outputs } = await succeeding(shared.current.up());
    const scaleUp = () => runScaleCommand(cloud, String(outputs["scaleUp"]));
    cloud.account.gpuVcpuQuota = 4;
    const { text, rejected } = scaleUp();
    expect(text).toMatch(/^myeks-gpu-\d+: 1 node\. /);
    expect(text).toContain(exceeded(4));
    expect(rejected).toBe(true);
    expect(gpuNodes(cloud).computed["status"]).toBe("DEGRADED");
    expect(errorsOf(await failing(shared.current.up()))).toContain("the account's quota L-DB2E81BA is 4");

    cloud.account.gpuVcpuQuota = 8;
    const { text: all, rejected: again } = scaleUp();
    expect(all).toMatch(/: 2 nodes$/);
    expect(again).toBe(false);
    expect(gpuNodes(cloud).computed["status"]).toBe("ACTIVE");
    await succeeding(shared.current.preview({ expectNoChanges: true }));
  });

  test("an AMI release needs no vCPUs beside those of the nodes: a new one comes when an old one has gone", async () => {
    const { cloud } = shared.current;
    expect(gpuReleases(cloud)).toHaveLength(2);
    const up = await succeeding(upWith(withRelease(next)));
    expect(cloudChanges(up)).toEqual(["update NodeGroup gpu-lab-gpu: releaseVersion"]);
    expect(gpuReleases(cloud)).toEqual([next, next]);
    expect(gpuHealth(cloud)).toBeUndefined();
  });

  test("an AMI release of which no node can start fails, and is done by the next update when the quota is raised", async () => {
    const { cloud } = shared.current;
    scaleGpuNodes(cloud, 1);
    startElsewhere(cloud);
    const first = await failing(upWith(withRelease(afterNext)));
    expect(errorsOf(first)).toContain("NodeCreationFailure: Couldn't proceed with upgrade process");
    expect(gpuHealth(cloud)).toContain(exceeded(8));
    expect(gpuNodes(cloud)).toMatchObject({ inputs: { releaseVersion: next }, computed: { status: "DEGRADED" } });
    await expectNoOrphan(shared.current);

    cloud.account.gpuVcpuQuota = 16;
    const second = await succeeding(shared.current.up());
    expect(cloudChanges(second)).toEqual(["update NodeGroup gpu-lab-gpu: releaseVersion"]);
    expect(gpuReleases(cloud)).toEqual([afterNext]);
    expect(gpuNodes(cloud).computed["status"]).toBe("ACTIVE");
    await expectNoOrphan(shared.current);
  });

  test("owner pulumi: a size that does not fit is set, leaves the group degraded, and nothing is to be done twice", async () => {
    const { cloud } = shared.current;
    scaleGpuNodes(cloud, 0);
    cloud.account.gpuVcpuQuota = 8;
    const wanted = [withRelease(afterNext), "gpuNodes.owner=pulumi", "gpuNodes.desiredSize=1"];
    const up = await succeeding(upWith(...wanted));
    expect(cloudChanges(up)).toEqual(["update NodeGroup gpu-lab-gpu: scalingConfig.desiredSize"]);
    expect(gpuHealth(cloud)).toContain(exceeded(8));
    expect(gpuReleases(cloud)).toEqual([]);
    expect(gpuNodes(cloud)).toMatchObject({
      inputs: { scalingConfig: { desiredSize: 1 } },
      computed: { status: "DEGRADED" },
    });

    cloud.account.gpuVcpuQuota = 16;
    scaleGpuNodes(cloud, 1);
    expect(gpuReleases(cloud)).toEqual([afterNext]);
    expect(gpuNodes(cloud).computed["status"]).toBe("ACTIVE");
    await succeeding(shared.current.up({ refresh: true, expectNoChanges: true }));
    await expectNoOrphan(shared.current);
  });
});
