import { beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "./support/client";
import { eventually } from "./support/eventually";
import { describeKarpenter, Karpenter } from "./support/karpenter";
import { gpuDeployment, gpuPool, KarpenterObjects } from "./support/karpenter-objects";
import { KwokCluster } from "./support/kwok-cluster";
import { expectMessage } from "./support/messages";

describeKarpenter("GPU nodes that Karpenter starts", () => {
  const cluster = new KwokCluster();
  new Karpenter(cluster);
  const objects = new KarpenterObjects(cluster);

  describe("with a limit of one GPU", () => {
    let claim = "";

    beforeAll(async () => {
      await objects.apply(gpuPool("gpu", { limit: 1 }), gpuDeployment("first", "gpu"));
      [claim = ""] = await objects.claims("gpu", 1);
    });

    test("the first pod runs on a node of its own, and the second waits", async () => {
      await objects.podOf("first", "Running");
      await objects.apply(gpuDeployment("second", "gpu"));
      expectMessage("karpenter limit", await objects.refusalOf("second"));
      expect(await objects.claims("gpu", 1)).toEqual([claim]);
    });

    test("a limit of 0 leaves the node, and its end starts no other", async () => {
      await objects.setLimit("gpu", "0");
      await objects.restart("second");
      expect(await objects.refusalOf("second")).toMatch(/exceed limits/);
      expect(await objects.claims("gpu", 1)).toEqual([claim]);
      await objects.deleteClaim(claim);
      await objects.claims("gpu", 0);
      expect(await objects.refusalOf("first")).toMatch(/exceed limits/);
      expect(await objects.claims("gpu", 0)).toEqual([]);
    });
  });

  test("an expired node is replaced while its pod exists: expiry ends no cost", async () => {
    await objects.apply(gpuPool("short", { limit: 1, expireAfter: "10s" }), gpuDeployment("third", "short"));
    const [old = ""] = await objects.claims("short", 1);
    const renewed = await eventually("another node", async () => {
      const claims = await objects.all("short");
      return claims.find(({ metadata }: KubernetesObject) => metadata.name !== old);
    });
    expect(renewed.metadata.name).not.toBe(old);
  });
});
