import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type SchemaObject } from "ajv";
import { load } from "js-yaml";
import type { SchemaProblem } from "./kubernetes-schema";

/** The resource definitions of Karpenter v1.14.0 and Kueue v0.19.2, unchanged. */
export const definitionFiles: Readonly<Record<string, string>> = {
  "karpenter.sh/v1 NodePool": "karpenter-v1.14.0/karpenter.sh_nodepools.yaml",
  "karpenter.k8s.aws/v1 EC2NodeClass": "karpenter-v1.14.0/karpenter.k8s.aws_ec2nodeclasses.yaml",
  "kueue.x-k8s.io/v1beta2 ClusterQueue": "kueue-v0.19.2/kueue.x-k8s.io_clusterqueues.yaml",
  "kueue.x-k8s.io/v1beta2 LocalQueue": "kueue-v0.19.2/kueue.x-k8s.io_localqueues.yaml",
  "kueue.x-k8s.io/v1beta2 ResourceFlavor": "kueue-v0.19.2/kueue.x-k8s.io_resourceflavors.yaml",
};

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: SchemaObject };
    }[];
  };
}

/** The definition of a kind, e.g. of `karpenter.sh/v1 NodePool`. */
export function definitionOf(kind: string): object {
  return load(readFileSync(join(__dirname, "../fixtures", definitionFiles[kind] ?? ""), "utf8")) as object;
}

/** The schema of the definition, in which an unknown key is an error, as with `kubectl apply --validate=strict`. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const { format: _, ...given } = schema as SchemaObject & { format?: string };
  const inner = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, strict(value)]));
  const isClosed = inner["properties"] !== undefined && given["x-kubernetes-preserve-unknown-fields"] !== true;
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}

const validators = new Map(
  Object.keys(definitionFiles).map((definition) => {
    const { versions } = (definitionOf(definition) as Definition).spec;
    const { openAPIV3Schema } = versions.find(({ name }) => definition.includes(`/${name} `))!.schema;
    const ajv = new Ajv({ allErrors: true, strict: false });
    const schema = strict(openAPIV3Schema) as { properties: Record<string, unknown> };
    // The definition leaves metadata to Kubernetes.
    return [definition, ajv.compile({ ...schema, properties: { ...schema.properties, metadata: { type: "object" } } })];
  }),
);

/** What a definition of Karpenter or Kueue rejects in an object; undefined for other objects. Its CEL rules need an API server. */
export function definitionProblems(definition: string, manifest: unknown): SchemaProblem[] | undefined {
  const validate = validators.get(definition);
  if (!validate) return undefined;
  validate(manifest);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }): SchemaProblem => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}
