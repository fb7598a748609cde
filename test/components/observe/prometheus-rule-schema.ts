import { Ajv } from "ajv";

/** Go's duration as Prometheus writes it. */
const duration = "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$";
const texts = { type: "object", additionalProperties: { type: "string" } } as const;

const rule = {
  type: "object",
  additionalProperties: false,
  required: ["alert", "expr"],
  properties: {
    alert: { type: "string" },
    // The CRD takes a number too, and quantities of neither kind.
    expr: { type: "string", minLength: 1 },
    for: { type: "string", pattern: duration },
    keep_firing_for: { type: "string", minLength: 1, pattern: duration },
    labels: texts,
    annotations: texts,
  },
} as const;

/**
 * What the PrometheusRule CRD of the Prometheus Operator v0.93.1 says of the fields that are used here, and, more strict
 * than the API server, that there are no others.
 * @see https://github.com/prometheus-operator/prometheus-operator/blob/v0.93.1/example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml
 */
const schema = {
  type: "object",
  additionalProperties: false,
  required: ["apiVersion", "kind", "metadata", "spec"],
  properties: {
    apiVersion: { const: "monitoring.coreos.com/v1" },
    kind: { const: "PrometheusRule" },
    metadata: {
      type: "object",
      additionalProperties: false,
      required: ["name", "namespace"],
      properties: { name: { type: "string" }, namespace: { type: "string" }, labels: texts, annotations: texts },
    },
    spec: {
      type: "object",
      additionalProperties: false,
      properties: {
        groups: {
          type: "array",
          items: {
            type: "object",
            additionalProperties: false,
            required: ["name"],
            properties: {
              name: { type: "string", minLength: 1 },
              interval: { type: "string", pattern: duration },
              limit: { type: "integer" },
              rules: { type: "array", items: rule },
            },
          },
        },
      },
    },
  },
} as const;

const validate = new Ajv({ allErrors: true, strict: true }).compile(schema);

/** What is wrong with a PrometheusRule: nothing, or a line for each fault. */
export function prometheusRuleFaults(manifest: unknown): string[] {
  return validate(manifest)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
