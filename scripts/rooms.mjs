// The rooms of the project: what each holds, and which others it may import. ESLint enforces it; CONTRIBUTING.md and
// docs/architecture.md show it.

/** @typedef {{ folder: string, holds: string, imports: readonly string[] }} Room */

const core = ["components/core"];
const nodes = [...core, "components/nodes"];
const gpu = [...nodes, "components/gpu"];
const workloads = [...gpu, "components/workloads"];

/** A room may also import itself, and the folders inside the rooms it names. @type {readonly Room[]} */
export const rooms = [
  {
    folder: "components/core",
    holds: "ground floor: problems, schemas, the reader of untyped data, Kubernetes matching, wire format, text, pins",
    imports: [],
  },
  {
    folder: "components/vendor",
    holds: "keys of vendors' charts and IAM actions, with version and source",
    imports: [],
  },
  { folder: "components/network", holds: "VPC, subnets, node firewall", imports: core },
  {
    folder: "components/cluster",
    holds: "EKS cluster, access, add-ons, controllers, identities",
    imports: [...core, "components/vendor"],
  },
  { folder: "components/nodes", holds: "node groups, instance types, scaling, node repair", imports: core },
  { folder: "components/gpu", holds: "GPU Operator and GPU health", imports: [...nodes, "components/vendor"] },
  { folder: "components/workloads", holds: "what labs run in the cluster", imports: gpu },
  {
    folder: "components/observe",
    holds: "monitoring, alerts, dashboard",
    imports: [...workloads, "components/vendor"],
  },
  { folder: "components/cost", holds: "prices and cost lines", imports: nodes },
  { folder: "components/environment", holds: "schema and parts of GpuEnvironment", imports: ["components"] },
  { folder: "components/preflight", holds: "what region and account must offer", imports: ["components"] },
  {
    folder: "stacks",
    holds: "one file per lab; stacks/run reads the configuration and runs a lab",
    imports: ["components"],
  },
  {
    folder: "policies/engine",
    holds: "what a rule is, how its checks become a verdict, and the policy pack server",
    imports: core,
  },
  {
    folder: "policies/facts",
    holds: "what rules know about node groups, pods, charts, roles and clusters",
    imports: ["policies/engine", "components"],
  },
  {
    folder: "policies/rules",
    holds: "one rule per file, with its good and bad example",
    imports: ["policies/engine", "policies/facts", "components"],
  },
  { folder: "policies/packs", holds: "the rules of each pack and their levels", imports: ["policies"] },
  {
    folder: "planner",
    holds: "the offline plan: record, judge, price, draw, report",
    imports: ["components", "policies/engine"],
  },
  {
    folder: "simulation",
    holds: "a simulated cloud behind the Pulumi engine, and the rehearsal of a lab",
    imports: ["components", "planner", "stacks"],
  },
  { folder: "triage", holds: "why a GPU pod does not run: snapshot, checks, report", imports: nodes },
  {
    folder: "failures",
    holds: "the catalog of failures: the rules, alerts, conclusions and labs of each",
    imports: ["components/observe", "policies/packs", "stacks", "triage"],
  },
  {
    folder: "cli",
    holds: "arguments in, reports out",
    imports: ["components/core", "planner", "policies", "simulation", "stacks", "triage"],
  },
];

const isWithin = (folder, parent) => folder === parent || folder.startsWith(`${parent}/`);

/** The ESLint configuration that rejects the imports that a room may not make. */
export function importRules() {
  return rooms.map(({ folder, imports }) => {
    const allowed = [folder, ...imports];
    const banned = rooms.filter((other) => !allowed.some((name) => isWithin(other.folder, name)));
    const patterns = banned.map((other) => ({
      regex: `^(\\.\\./)+(${[other.folder, other.folder.replace("components/", "")].join("|")})(/|$)`,
      message: `${folder} must not import ${other.folder}: see the table in CONTRIBUTING.md.`,
    }));
    return { files: [`${folder}/**/*.ts`], rules: { "no-restricted-imports": ["error", { patterns }] } };
  });
}
