import type { Client, KubernetesObject } from "./client";
import { eventually } from "./eventually";

/**
 * The kinds that charts of the labs define. Their real definitions come with the charts and are not here: these take any
 * field. test/support/custom-resources.ts checks the fields.
 */
const kinds = [
  { group: "monitoring.coreos.com", kind: "PrometheusRule", plural: "prometheusrules", scope: "Namespaced" },
  { group: "monitoring.coreos.com", kind: "ServiceMonitor", plural: "servicemonitors", scope: "Namespaced" },
  { group: "nvidia.com", kind: "ClusterPolicy", plural: "clusterpolicies", scope: "Cluster" },
] as const;

/** Lets the API server accept the custom resources of the labs. */
export async function defineCustomResources(client: Client): Promise<void> {
  for (const { group, kind, plural, scope } of kinds) {
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const definition: KubernetesObject = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        ...{ group, scope, names: { kind, plural, singular: kind.toLowerCase() } },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    };
    await client.apply(definition);
    await eventually(`the resource ${plural}`, async () => {
      const answer = await client.request("GET", `/apis/${group}/v1/${plural}`);
      return answer.status === 200 || undefined;
    });
  }
}
