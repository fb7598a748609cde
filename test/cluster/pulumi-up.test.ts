import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCloud } from "../../simulation/create-cloud";
import { cluster as eksCluster } from "../../simulation/aws/eks/cluster";
import { release } from "../../simulation/kubernetes/release";
import { labs } from "../../stacks/labs";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { cloudChanges, ownAddress, reversed, sharedWorkspace, succeeding } from "../engine/support/engine";
import { remediesOf } from "../support/labs";
import { access, empty, sharedCluster, startNodes } from "./support/cluster";
import { realKubernetes } from "./support/kubernetes-provider";
import { planner } from "./support/planned";

const provider = inject("kubernetesProvider") ?? "";
const isMissing = inject("clusters").length === 0 || inject("pulumi") === undefined || provider === "";

/** A simulated account whose EKS cluster is the control plane. */
function cloudWithControlPlane() {
  const { server, ca } = access();
  const certificateAuthority = { data: Buffer.from(ca).toString("base64") };
  const computed: typeof eksCluster.computed = (...request) => ({
    ...eksCluster.computed?.(...request),
    ...{ endpoint: server, certificateAuthority },
  });
  const { validateCreate: _, ...releaseModel } = release;
  return createCloud({ models: [{ ...eksCluster, computed }, releaseModel] });
}

// All tests of a lab use one stack. Each test continues where the previous one ended.
describe.skipIf(isMissing)("pulumi up with the real Kubernetes provider", () => {
  const cluster = sharedCluster();
  const planned = planner();
  const now = new Date();

  describe.each(Object.entries<Lab>(labs))("the lab %s", (stack, lab) => {
    const shared = sharedWorkspace({
      stack,
      cloud: cloudWithControlPlane,
      providers: (...args) => realKubernetes(provider, access())(...args),
    });
    const [fault] = togglesOf(lab, now);
    const up = async (config: readonly string[] = []) => {
      shared.current.configure([ownAddress, ...config]);
      return cloudChanges(await succeeding(shared.current.up()));
    };
    const expectNoChanges = () => succeeding(shared.current.preview({ expectNoChanges: true }));
    beforeAll(async () => {
      await startNodes(cluster, await planned(stack), Math.max(lab.gpuNodes, 2));
    });
    afterAll(() => empty(cluster));

    test("deploys, and a preview shows no changes", async () => {
      expect((await up()).filter((line) => !line.startsWith("create "))).toEqual([]);
      await expectNoChanges();
    });

    test.each(togglesOf(lab, now))("$name: makes the changes that the lab states, and back", async (toggle) => {
      expect(await up(toggle.config)).toEqual([...toggle.changes].sort());
      await expectNoChanges();
      expect(await up()).toEqual(reversed(toggle.changes));
    });

    test.each(remediesOf(lab, now))("the remedy $name: makes the changes that the lab states", async (remedy) => {
      await up(fault?.config);
      expect(await up(remedy.config)).toEqual([...remedy.changes].sort());
      await expectNoChanges();
    });
  });
});
