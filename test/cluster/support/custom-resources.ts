import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { kubePrometheusStackChart } from "../../../components/core/versions";
import clusterPolicy from "../../fixtures/gpu-operator-v26.3.1-cluster-policy-fields.json";
import { clusterPolicySpec } from "../../support/cluster-policy";
import { definitionFiles, definitionOf } from "../../support/definitions";
import { schemaOfTable } from "../../support/field-table";
import type { Client, KubernetesObject } from "./client";
import { eventually } from "./eventually";
import { made, requirementOf, type Search } from "./go";

const module = "custom-resources";

/** Kinds that the labs create, besides the ClusterPolicy. */
const monitoringKinds = ["PodMonitor", "PrometheusRule", "ServiceMonitor"];

/** A folder with the definitions of the Prometheus Operator's custom resources. */
export function findCustomResources(): Search {
  const types = "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring";
  const { operatorVersion } = kubePrometheusStackChart;
  if (requirementOf(module, types) !== operatorVersion) {
    return { why: `${module}/go.mod does not require ${types} ${operatorVersion}, the version of the chart` };
  }
  const command = ["tool", "controller-gen", "crd:crdVersions=v1,maxDescLen=0", `paths=${types}/v1`];
  return made({
    module,
    notice: "Writing the definitions of the Prometheus Operator's custom resources. This takes a minute, once.",
    args: (path) => [...command, `output:dir=${path}`],
  });
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** Lets the API server accept the custom resources of the labs, and check them. */
export async function defineCustomResources(client: Client, folder: string): Promise<void> {
  const read = (file: string) => load(readFileSync(join(folder, file), "utf8")) as Definition;
  const generated = readdirSync(folder).map(read);
  const used = generated.filter(({ spec }) => monitoringKinds.includes(spec.names.kind));
  const ofKueue = Object.keys(definitionFiles).filter((kind) => kind.startsWith("kueue."));
  const definitions = [...used, clusterPolicyDefinition(), ...ofKueue.map((kind) => definitionOf(kind) as Definition)];
  for (const definition of definitions) await client.apply(definition);
  for (const { spec } of definitions) {
    const { group, names, versions } = spec;
    await eventually(`the resource ${names.plural}`, async () => {
      const answer = await client.request("GET", `/apis/${group}/${versions[0]?.name}/${names.plural}`);
      return answer.status === 200 || undefined;
    });
  }
}

/**
 * Sections that the definition of a ClusterPolicy requires, and the states of its status.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/crds/nvidia.com_clusterpolicies.yaml
 */
const requiredSections: readonly string[] = [
  ...["daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd", "nodeStatusExporter", "operator"],
  "toolkit",
];
const states = ["ignored", "ready", "notReady"];

/** The ClusterPolicy that the chart creates from its values. What is not set there has no value here. */
export function clusterPolicyOf(values: unknown): KubernetesObject {
  const empty = Object.fromEntries(requiredSections.map((section) => [section, {}]));
  const spec = { ...empty, ...(clusterPolicySpec(values) as object) };
  return { apiVersion: "nvidia.com/v1", kind: "ClusterPolicy", metadata: { name: "cluster-policy" }, spec };
}

/** The definition of ClusterPolicy with the fields of the table. */
function clusterPolicyDefinition(): Definition {
  const table = structural(schemaOfTable({ ...clusterPolicy.fields, "nodeStatusExporter.enabled": "boolean" }));
  const state = { type: "string", enum: states };
  const status = { type: "object", required: ["state"], properties: { state } };
  const properties = { spec: { ...table, required: requiredSections }, status };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  const names = { kind: "ClusterPolicy", plural: "clusterpolicies", singular: "clusterpolicy" };
  const versions = [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }];
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "clusterpolicies.nvidia.com" },
    spec: { group: "nvidia.com", scope: "Cluster", names, versions } as Definition["spec"],
  };
}

type Schema = Readonly<Record<string, unknown>>;

/** A JSON Schema in the form that Kubernetes requires. Unknown fields are an error of strict validation. */
function structural({ type, properties, additionalProperties, items, enum: values, ...rest }: Schema): Schema {
  if (Array.isArray(type)) return { ...rest, "x-kubernetes-int-or-string": true };
  if (values !== undefined) return { type: "string", enum: values };
  if (items !== undefined) return { type, items: structural(items as Schema) };
  if (properties === undefined) {
    return additionalProperties === undefined
      ? { type, ...rest }
      : { type, additionalProperties: structural(additionalProperties as Schema) };
  }
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>);
  return { type, ...rest, properties: Object.fromEntries(fields.map(([name, field]) => [name, structural(field)])) };
}
