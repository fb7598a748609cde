import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { price } from "../../../components/cost/prices";
import { instanceType, instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import { freePorts } from "../../support/free-ports";
import { Parts, type Access } from "./control-plane";
import { controllersProgram } from "./controllers";
import { eventually } from "./eventually";
import { kubeconfigFile } from "./kubeconfig";
import { applyObjectsOf, applyWhenKnown } from "./kwok";
import type { KwokCluster } from "./kwok-cluster";

/** The region of the nodes that Karpenter starts, and its zones. */
const region = "ap-northeast-2";
const zones = ["a", "c"].map((letter) => `${region}${letter}`);

/** Karpenter on a cluster with KWOK, for the tests of a block. */
export class Karpenter {
  private parts: Parts | undefined;

  constructor(private readonly cluster: KwokCluster) {
    beforeAll(async () => {
      const { admin } = cluster;
      await applyObjectsOf("karpenter", admin);
      await applyWhenKnown(admin, { apiVersion: "v1", kind: "Namespace", metadata: { name: "karpenter" } });
      await this.start();
    });
    afterAll(() => this.stop());
  }

  async start(): Promise<void> {
    const { access } = this.cluster;
    const [metricsPort, healthPort] = await freePorts(2);
    const parts = new Parts(controllersProgram(), access.folder);
    this.parts = parts;
    parts.start("karpenter", [], { ...process.env, ...environment(access, metricsPort, healthPort) });
    await eventually("Karpenter, ready", async () => {
      parts.requireRunning();
      const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
      return answer?.ok === true || undefined;
    });
  }

  async stop(): Promise<void> {
    await this.parts?.stop();
  }
}

function environment(access: Access, metricsPort = 0, healthPort = 0): Readonly<Record<string, string>> {
  const types = join(access.folder, "instance-types.json");
  writeFileSync(types, JSON.stringify(instanceTypeNames.map(offered)));
  return {
    KUBECONFIG: kubeconfigFile("admin", access),
    SYSTEM_NAMESPACE: "karpenter",
    CLUSTER_NAME: "loopback",
    DISABLE_LEADER_ELECTION: "true",
    FEATURE_GATES: "NodeRepair=true",
    KUBERNETES_MIN_VERSION: "1.29.0",
    INSTANCE_TYPES_FILE_PATH: types,
    METRICS_PORT: String(metricsPort),
    HEALTH_PROBE_PORT: String(healthPort),
  };
}

/** An instance type of the catalog, as the provider for KWOK reads it. */
function offered(name: string) {
  const type = instanceType(name);
  if (!type) throw new Error(`${name} is not in the catalog`);
  const { usd = 100 } = price(region, name) ?? {};
  const requirement = (key: string, value: string) => ({ key, operator: "In", values: [value] });
  const offerings = zones.flatMap((zone) =>
    ["on-demand", "spot"].map((capacityType) => ({
      Price: capacityType === "spot" ? usd / 2 : usd,
      Available: true,
      Requirements: [
        requirement("karpenter.sh/capacity-type", capacityType),
        requirement("topology.kubernetes.io/zone", zone),
      ],
    })),
  );
  const resources = {
    cpu: String(type.vcpus),
    memory: `${type.memoryGiB}Gi`,
    pods: String(type.maxPods),
    "ephemeral-storage": "100Gi",
    ...(type.gpus > 0 && { "nvidia.com/gpu": String(type.gpus) }),
  };
  return { name, architecture: type.architecture, operatingSystems: ["linux"], resources, offerings };
}
