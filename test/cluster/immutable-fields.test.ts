import { expect, test } from "vitest";
import { deepMerge } from "../../components/core/reader/records";
import { immutableFieldReason } from "../../simulation/kubernetes/objects";
import { fieldChanges } from "../support/field-changes";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, sharedCluster } from "./support/cluster";

const namespace = "immutable-fields";
const changes = fieldChanges.map((change, index) => ({ ...change, name: `a-${index}` }));

describeCluster("the API server refuses the changes that the simulation refuses, with the same reason", () => {
  const cluster = sharedCluster();

  test.each(changes)("$kind $object, $change", async ({ kind: token, object, change, accepted, name }) => {
    const [group = "", kind = ""] = token.split(":");
    await applyAll(cluster, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
    const metadata = { name, namespace };
    const made: KubernetesObject = { apiVersion: group.replace(/^core\//, ""), kind, metadata, ...object };
    const path = await cluster.admin.pathOf(made);
    await cluster.admin.create(made);
    const answer = await cluster.admin.request("PATCH", path, change, "application/merge-patch+json");
    await cluster.admin.delete(path, { gracePeriodSeconds: 0 });
    const { message = "" } = answer.body as { readonly message?: string };
    expect([answer.status, message]).toEqual(accepted ? [200, ""] : [422, expect.stringContaining(" is invalid: ")]);
    const reason = immutableFieldReason(token, object, deepMerge(object, change)) ?? "";
    for (const part of reason.split("…")) expect(message).toContain(part.trim());
  });
});
