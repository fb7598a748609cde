// The rooms of the project and what each may import: ESLint enforces it, and CONTRIBUTING.md shows it.

/** @type {readonly { folder: string, holds: string, imports: readonly string[] }[]} */
export const rooms = [
  {
    folder: "components/core",
    holds:
      "ground floor: problems, schemas, reader of untyped data, Kubernetes matching, wire format, text layout, pins",
    imports: [],
  },
  ...["network", "cluster", "nodes", "gpu", "observe", "workloads", "cost"].map((area) => ({
    folder: `components/${area}`,
    holds: {
      network: "VPC, subnets, node firewall",
      cluster: "EKS cluster, add-ons, controllers, identities",
      nodes: "node groups, instance types, scaling, node repair",
      gpu: "GPU Operator, GPU health",
      observe: "monitoring, alerts, dashboard",
      workloads: "what a lab runs in the cluster",
      cost: "prices and cost lines",
    }[area],
    imports: {
      network: ["components/core"],
      cluster: ["components/core", "components/network"],
      nodes: ["components/core"],
      gpu: ["components/core", "components/nodes"],
      observe: ["components/core", "components/nodes", "components/gpu"],
      workloads: ["components/core", "components/nodes", "components/gpu", "components/observe"],
      cost: ["components/core", "components/nodes"],
    }[area],
  })),
  {
    folder: "components/environment",
    holds: "GpuEnvironment: the whole environment, wired from the parts",
    imports: ["components"],
  },
  { folder: "components/preflight", holds: "what region and account must offer", imports: ["components"] },
  {
    folder: "stacks",
    holds: "one file per lab; stacks/run reads the configuration and runs a lab",
    imports: ["components"],
  },
  {
    folder: "policies/engine",
    holds: "what a rule is, its verdict, the policy pack server",
    imports: ["components/core"],
  },
  {
    folder: "policies/facts",
    holds: "what rules know about node groups, pods, charts, roles and clusters",
    imports: ["policies/engine", "components"],
  },
  {
    folder: "policies/rules",
    holds: "one file per rule, with its example",
    imports: ["policies/engine", "policies/facts", "components"],
  },
  { folder: "policies/packs", holds: "which rules a pack has, and their levels", imports: ["policies"] },
  {
    folder: "planner",
    holds: "the offline plan: record, judge, price, draw, report",
    imports: ["components", "policies"],
  },
  {
    folder: "simulation",
    holds: "a simulated cloud behind real Pulumi providers, and the rehearsal of a lab",
    imports: ["components", "planner", "stacks"],
  },
  { folder: "triage", holds: "why a GPU pod does not run", imports: ["components"] },
  {
    folder: "cli",
    holds: "arguments in, reports out",
    imports: ["components", "planner", "policies", "simulation", "stacks", "triage"],
  },
];

/** The ESLint configuration that rejects an import that a room may not make. */
export function importRules() {
  return rooms.map(({ folder, imports }) => {
    const allowed = (other) =>
      other === folder || [folder, ...imports].some((name) => isWithin(other, name) || isWithin(name, other));
    const banned = rooms.map((room) => room.folder).filter((other) => !allowed(other));
    const patterns = banned.map((other) => ({
      regex: `^(\\.\\./)+(${[other, other.replace("components/", "")].filter((name) => name !== folder).join("|")})(/|$)`,
      message: `${folder} must not import ${other}; see the table in CONTRIBUTING.md.`,
    }));
    return { files: [`${folder}/**/*.ts`], rules: { "no-restricted-imports": ["error", { patterns }] } };
  });
}

function isWithin(folder, parent) {
  return folder === parent || folder.startsWith(`${parent}/`);
}
