import { definitionProblems } from "./definitions";
import { faultsFinder, type FieldTable } from "./field-table";
import type { SchemaProblem } from "./kubernetes-schema";

const metadata: FieldTable = {
  "metadata!.name!": "string",
  "metadata!.namespace": "string",
  "metadata!.labels.*": "string",
  "metadata!.annotations.*": "string",
};

/**
 * What the resource definitions of the Prometheus Operator v0.93.1 say of the fields that are in use here, and, more
 * strict than the API server, that there are no others.
 * @see https://github.com/prometheus-operator/prometheus-operator/tree/v0.93.1/example/prometheus-operator-crd
 */
const tables: Readonly<Record<string, FieldTable>> = {
  PrometheusRule: {
    ...metadata,
    "spec!.groups[name].name!": "text",
    "spec!.groups[name].interval": "duration",
    "spec!.groups[name].limit": "integer",
    "spec!.groups[name].rules[].alert!": "string",
    // A number is taken too.
    "spec!.groups[name].rules[].expr!": "text",
    "spec!.groups[name].rules[].for": "duration",
    "spec!.groups[name].rules[].keep_firing_for": "duration",
    "spec!.groups[name].rules[].labels.*": "string",
    "spec!.groups[name].rules[].annotations.*": "string",
  },
  ServiceMonitor: {
    ...metadata,
    "spec!.jobLabel": "string",
    "spec!.targetLabels[]": "string",
    "spec!.podTargetLabels[]": "string",
    "spec!.namespaceSelector.any": "boolean",
    "spec!.namespaceSelector.matchNames[]": "string",
    "spec!.selector!.matchLabels.*": "string",
    "spec!.selector!.matchExpressions[].key!": "string",
    "spec!.selector!.matchExpressions[].operator!": "string",
    "spec!.selector!.matchExpressions[].values[]": "string",
    // Prometheus could not tell what to read without one.
    "spec!.endpoints![].port!": "string",
    "spec!.endpoints![].path": "string",
    "spec!.endpoints![].interval": "duration",
    "spec!.endpoints![].scrapeTimeout": "duration",
    "spec!.endpoints![].honorLabels": "boolean",
    "spec!.endpoints![].honorTimestamps": "boolean",
  },
};

/**
 * The NodeClass of EKS Auto Mode: AWS documents its fields, and publishes no definition.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/create-node-class.html
 */
const autoModeClass: FieldTable = {
  ...{ "apiVersion!": ["eks.amazonaws.com/v1"], "kind!": ["NodeClass"], "metadata!.name!": "string" },
  "spec!.role!": "string",
  "spec!.subnetSelectorTerms![].id!": "string",
  "spec!.securityGroupSelectorTerms![].id!": "string",
  "spec!.ephemeralStorage!.size!": "quantity",
  "spec!.tags.*": "string",
};

const finders = new Map<string, ReturnType<typeof faultsFinder>>(
  Object.entries(tables).map(([kind, table]) => {
    const own: FieldTable = { "apiVersion!": ["monitoring.coreos.com/v1"], "kind!": [kind], ...table };
    return [`monitoring.coreos.com/v1 ${kind}`, faultsFinder(own)];
  }),
);
finders.set("eks.amazonaws.com/v1 NodeClass", faultsFinder(autoModeClass));

/** The errors of a custom resource. A resource without a known definition is an error, because it was not checked. */
export function customResourceProblems(manifest: unknown): SchemaProblem[] {
  const { apiVersion, kind } = (manifest ?? {}) as Readonly<Record<string, unknown>>;
  const definition = `${String(apiVersion)} ${String(kind)}`;
  const found = definitionProblems(definition, manifest) ?? finders.get(definition)?.(manifest);
  return found ?? [`kind: there is no table of the fields of ${definition}`];
}
