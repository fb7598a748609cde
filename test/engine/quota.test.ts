import { expect, test } from "vitest";
import { types } from "../../simulation/aws/types";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { runScaleCommand } from "../../simulation/rehearsal/session";
import { laterAmiRelease, latestAmiRelease } from "../simulation/aws/eks/foundation";
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

const [next, afterNext] = [laterAmiRelease, latestAmiRelease];
const withRelease = (release: string) => `gpuNodes.releaseVersion=${release}`;

/** The message of Auto Scaling when the quota is used up. */
function exceeded(limit: number): string {
  return (
    "AsgInstanceLaunchFailures: Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU " +
    `capacity than your current vCPU limit of ${limit} allows`
  );
}

/** Confirms that an update may end the nodes of a session. */
function endingSession(cloud: SimulatedCloud): string {
  return `confirm.endSession=${gpuNodes(cloud).id.split(":")[1]}`;
}

/** A node with 8 vCPUs that is not part of the stack. */
function startElsewhere(cloud: SimulatedCloud): void {
  cloud.put({ type: types.instance, id: "i-elsewhere", inputs: { instanceType: "g5.2xlarge" }, computed: {} });
}

// All tests use one stack. Each test continues where the previous one ended.
describeEngine("the vCPU quota of the account", () => {
  const shared = sharedWorkspace();
  const upWith = (...config: string[]) => {
    shared.current.configure([ownAddress, ...config]);
    return shared.current.up();
  };

  test("a session gets the nodes that the quota allows, reports the others, and gets all nodes after a quota increase", async () => {
    const { cloud } = shared.current;
    const { outputs } = await succeeding(shared.current.up());
    const scaleUp = () => runScaleCommand(cloud, String(outputs["scaleUp"]));
    cloud.account.gpuVcpuQuota = 4;
    const { text, rejected } = scaleUp();
    expect(text).toMatch(/^myeks-gpu-\d+: 1 node\. /);
    expect(text).toContain(exceeded(4));
    expect(rejected).toBe(true);
    expect(gpuNodes(cloud).computed["status"]).toBe("DEGRADED");
    expect(errorsOf(await failing(shared.current.up()))).toMatch(/gpuNodes\.maxSize: the default is 2\. .*L-DB2E81BA/);

    cloud.account.gpuVcpuQuota = 8;
    const { text: all, rejected: again } = scaleUp();
    expect(all).toMatch(/: 2 nodes$/);
    expect(again).toBe(false);
    expect(gpuNodes(cloud).computed["status"]).toBe("ACTIVE");
    await succeeding(shared.current.preview({ expectNoChanges: true }));
  });

  test("an AMI update requires no additional vCPUs: a new node starts after an old one was terminated", async () => {
    const { cloud } = shared.current;
    expect(gpuReleases(cloud)).toHaveLength(2);
    const up = await succeeding(upWith(withRelease(next), endingSession(cloud)));
    expect(cloudChanges(up)).toEqual(["update NodeGroup gpu-lab-gpu: releaseVersion"]);
    expect(gpuReleases(cloud)).toEqual([next, next]);
    expect(gpuHealth(cloud)).toBeUndefined();
  });

  test("an AMI update without vCPUs for a node fails, and succeeds after a quota increase", async () => {
    const { cloud } = shared.current;
    scaleGpuNodes(cloud, 1);
    startElsewhere(cloud);
    const first = await failing(upWith(withRelease(afterNext), endingSession(cloud)));
    const warnings = first.diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message);
    expect(warnings.join()).toContain("Instances outside this node group use 8 vCPU of it.");
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

  test("owner pulumi: a size beyond the quota degrades the group, and a second update has no changes", async () => {
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
