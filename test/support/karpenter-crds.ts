import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type SchemaObject } from "ajv";
import { load } from "js-yaml";
import type { SchemaProblem } from "./kubernetes-schema";

/** The resource definitions of Karpenter v1.14.0, unchanged. */
export const crdFiles: Readonly<Record<string, string>> = {
  "karpenter.sh/v1 NodePool": "karpenter.sh_nodepools.yaml",
  "karpenter.k8s.aws/v1 EC2NodeClass": "karpenter.k8s.aws_ec2nodeclasses.yaml",
};

interface Definition {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: SchemaObject } }[] };
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
  Object.entries(crdFiles).map(([definition, file]) => {
    const text = readFileSync(join(__dirname, "../fixtures/karpenter-v1.14.0", file), "utf8");
    const { openAPIV3Schema } = (load(text) as Definition).spec.versions[0]!.schema;
    const ajv = new Ajv({ allErrors: true, strict: false });
    const schema = strict(openAPIV3Schema) as { properties: Record<string, unknown> };
    // The definition leaves metadata to Kubernetes.
    return [definition, ajv.compile({ ...schema, properties: { ...schema.properties, metadata: { type: "object" } } })];
  }),
);

/** What Karpenter's definition rejects in an object; undefined for other objects. Its CEL rules need an API server. */
export function karpenterProblems(definition: string, manifest: unknown): SchemaProblem[] | undefined {
  const validate = validators.get(definition);
  if (!validate) return undefined;
  validate(manifest);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }): SchemaProblem => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}
