import { beforeAll, expect, test } from "vitest";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import type { PoolVariant } from "../../stacks/run/pool-variants";
import type { ConclusionId } from "../../triage/conclusions";
import { describeControllers } from "./support/controllers";
import { eventually } from "./support/eventually";
import { Karpenter } from "./support/karpenter";
import { KarpenterObjects, onKwok, systemNode } from "./support/karpenter-objects";
import type { Pod } from "./support/kubelet";
import { KwokCluster } from "./support/kwok-cluster";
import { expectMessage } from "./support/messages";
import { plannedObjects, planner, type PlannedObject } from "./support/planned";
import { triageWith } from "./support/triage";

const name = "no-node-comes";
const pool = `${name}-gpu`;
const isOwn = /^(?:Namespace|NodePool|DeviceClass|ResourceClaimTemplate) |^Deployment render$/;

/** Of each variant: what triage concludes first, and where the API server shows why. */
const variants: readonly (readonly [PoolVariant, ConclusionId])[] = [
  ["limit", "nodepool-limit"],
  ["taint", "nodepool-taint"],
  ["zone", "nodepool-labels"],
  ["instanceType", "nodepool-too-small"],
  ["startupTaint", "startup-taint-stays"],
  ["resourceClaim", "nodepool-claim"],
  ["timeSlicing", "nodepool-shares"],
];

describeControllers("the lab no-node-comes", () => {
  const cluster = new KwokCluster();
  new Karpenter(cluster);
  const objects = new KarpenterObjects(cluster, name, "app.kubernetes.io/instance");
  const planned = planner();
  let initial: readonly PlannedObject[] = [];

  /** What the stack creates for Karpenter and the pod. Its nodes are fake. */
  const objectsOf = async (config: readonly string[] = []): Promise<readonly PlannedObject[]> => {
    const own = plannedObjects(await planned(name, config)).filter(({ line }) => isOwn.test(line));
    return own.map((one) => (one.manifest.kind === "NodePool" ? { ...one, manifest: onKwok(one.manifest) } : one));
  };
  const apply = (all: readonly PlannedObject[]) => objects.apply(...all.map(({ manifest }) => manifest));
  const phases = async () => {
    const pods = await cluster.admin.list<Pod>(`/api/v1/namespaces/${name}/pods`);
    return pods
      .map(({ status }) => status.phase)
      .sort()
      .join();
  };
  const phasesAre = (wanted: string) =>
    eventually(wanted, async () => ((await phases()) === wanted ? true : undefined), { seen: phases });

  beforeAll(async () => {
    initial = await objectsOf();
    await objects.apply(systemNode);
    await apply(initial);
    await phasesAre("Running");
  });

  test.each(variants)("%s: the pod waits, triage concludes %s, and it runs after the fault", async (variant, id) => {
    const [fault] = togglesOf(labs[name], new Date());
    const faulty = await objectsOf([...(fault?.config ?? []), `faultVariant=${variant}`]);
    await apply(faulty);
    // At its limit, Karpenter states no other reason. A node for the pod before the fault can still start.
    if (variant === "startupTaint") await objects.endNodes(pool);
    const said =
      variant === "startupTaint"
        ? await objects.startupOf(pool)
        : await objects.refusalOf("render", variant === "limit" ? undefined : pool);
    expectMessage(`no-node-comes ${variant}`, said);
    await phasesAre(
      { limit: "Pending,Running", timeSlicing: "Pending,Pending,Pending,Pending" }[variant as string] ?? "Pending",
    );
    const seen = () => triageWith(cluster.kubeconfig, ["-n", name]);
    const found = async () => {
      const report = await seen();
      return report.conclusions[0] === id ? report : undefined;
    };
    // The scheduler tries again when a node changes.
    const { evidence } = await eventually(id, found, { seconds: 20, seen });
    expect(evidence).toContain(said.replace("FailedScheduling: ", ""));

    await apply(initial);
    await cluster.remove(faulty.filter(({ line }) => !initial.some((one) => one.line === line)));
    await objects.endNodes(pool);
    await phasesAre("Running");
  });
});
