import { beforeAll, describe, expect, test } from "vitest";
import { labs } from "../../stacks/labs";
import { poolVariants, type PoolVariant } from "../../stacks/run/pool-variants";
import { togglesOf } from "../../stacks/run/lab";
import type { KubernetesObject } from "./support/client";
import { eventually } from "./support/eventually";
import { describeKarpenter, Karpenter } from "./support/karpenter";
import { KarpenterObjects, onKwok } from "./support/karpenter-objects";
import type { Pod } from "./support/kubelet";
import { KwokCluster } from "./support/kwok-cluster";
import { expectMessage } from "./support/messages";
import { plannedObjects, planner, type PlannedObject } from "./support/planned";
import { triageWith } from "./support/triage";

const name = "no-node-comes";
const pool = `${name}-gpu`;
const kinds = ["Namespace", "NodePool", "Deployment", "DeviceClass", "ResourceClaimTemplate"];

describeKarpenter("the lab no-node-comes", () => {
  const cluster = new KwokCluster();
  const karpenter = new Karpenter(cluster);
  const objects = new KarpenterObjects(cluster);
  const planned = planner();
  const pods = () => cluster.admin.list<Pod>(`/api/v1/namespaces/${name}/pods`);
  let initial: readonly PlannedObject[] = [];

  /** What the stack creates in the cluster for Karpenter and the pod, with fake nodes. */
  const objectsOf = async (config: readonly string[] = []): Promise<readonly PlannedObject[]> => {
    const all = plannedObjects(await planned(name, config));
    const own = all.filter(({ line, manifest }) => kinds.includes(manifest.kind ?? "") && /no-node-comes|render|gpu-class/.test(line));
    return own.map(({ line, manifest }) => ({ line, manifest: manifest.kind === "NodePool" ? onKwok(manifest) : manifest }));
  };
  const apply = (all: readonly PlannedObject[]) => objects.apply(...all.map(({ manifest }) => manifest));

  const phases = async () => (await pods()).map(({ status }) => status.phase).sort().join();
  const running = () => eventually("one running pod", async () => ((await phases()) === "Running" ? true : undefined), { seen: phases });

  beforeAll(async () => {
    void karpenter;
    initial = await objectsOf();
    await apply(initial);
    await running();
  });

  const variants = Object.keys(poolVariants) as PoolVariant[];
  test.each(variants)("%s", async (variant) => {
    const [fault] = togglesOf(labs[name], new Date());
    const faulty = await objectsOf([...(fault?.config ?? []), `faultVariant=${variant}`]);
    await apply(faulty);
    for (const claim of await objects.all(pool)) await objects.deleteClaim(claim);
    await new Promise((r) => setTimeout(r, 15000));
    for (const pod of await pods()) {
      const events = await cluster.admin.list(`/api/v1/namespaces/${name}/events?fieldSelector=involvedObject.uid%3D${pod.metadata.uid}`);
      console.log(variant, pod.metadata.name, pod.status.phase, JSON.stringify(pod.status.conditions), "\n   " + events.map(({ reason, message, source, reportingComponent }) => `${String(reason)}: ${String(message)} ${JSON.stringify(source)} ${String(reportingComponent)}`).join("\n   "));
    }
    const claims = await cluster.admin.list("/apis/karpenter.sh/v1/nodeclaims");
    console.log(variant, "claims", JSON.stringify(claims.map(({ metadata, status }: any) => [metadata.name, status?.conditions?.map((c: any) => `${c.type}=${c.status} ${c.reason} ${c.message}`)])));
    console.log(variant, JSON.stringify(await triageWith(cluster.kubeconfig, ["-n", name])));
    const back = faulty.filter(({ line }) => !initial.some((one) => one.line === line));
    await apply(initial);
    await cluster.remove(back);
    await eventually("one running", async () => ((await phases()) === "Running" ? true : undefined), { seen: phases });
  }, 120_000);
});
