import { labKeys, localGpus } from "./lab";
import { environmentSection } from "../../components/environment/gpu-environment-sections";
import { endForm, endOf, longestFaultDays } from "../../components/core/faults";
import { labelValue, nodeName } from "../../components/core/kubernetes-names";
import { onOrOff } from "../../components/workloads/shared/faults";
import { mockFailures } from "../../components/local/mock-gpus-schema";
import { s, type GivenOf, type Schema, type ValueOf } from "../../components/core/schema";
import * as v from "valibot";

/** How Pulumi stores the value of a key: as a string, or as JSON. */
type ConfigType = "string" | "integer" | "boolean" | "array" | "object";

/** Arguments that only programs set. */
const { credentials, transform, ...environmentEntries } = environmentSection.entries;

/** A local cluster and the GPUs that it pretends to have. */
export const localClusterSection = s.section({
  /**
   * Context of the kubeconfig, e.g. `kwok-gpu-lab`.
   * @change refused - The stack would delete its own cluster. Use another stack, or destroy first.
   */
  context: s.matching(/\S/, "the name of a context", "set {path} to a context that kubectl config get-contexts prints"),
  /**
   * `fake`: nodes of KWOK, on which nothing runs. `mock`: NVIDIA's mock of its driver on nodes of kind.
   * @change replaced, seconds - The lab gets GPUs of the other kind. The GPUs of the former kind are deleted, and their
   * pods stop.
   */
  gpus: s.oneOf(localGpus),
  /**
   * Number of fake GPU nodes, 1 to 100.
   * @default none - as many as the lab needs
   * @change in place, seconds - Nodes are created, or the nodes with the highest numbers are deleted with their pods.
   */
  gpuNodes: s.optional(s.wholeNumber({ min: 1, max: 100, unit: "nodes" })),
  /**
   * How mock GPUs fail while the fault of node-health is on, if not as `ecc_uncorrectable`.
   * @default none - `ecc_uncorrectable`, a double-bit error with Xid 48, as on AWS; the others report Xid 79
   * @change in place, seconds - While the fault is on, the GPUs report the other failure.
   */
  failure: s.optional(s.oneOf(mockFailures)),
  /**
   * The context's name again, if its API server is not on this machine.
   * @default none - the API server must be on this machine
   * @change no change - Allows an API server whose address is not a loopback address.
   */
  confirm: s.optional(s.text()),
});

/** Confirmed changes of a running environment. Each names what ends; one that is not needed is a problem. */
const confirmSection = s.section({
  /**
   * Name of the cluster that the update may replace, or try to replace.
   * @default none - such a change is refused
   * @change no change - Lets a refused change through, or confirms that the cluster is gone. Refused if neither
   * applies.
   */
  replaceCluster: s.optional(s.text()),
  /**
   * Name of the node group whose running GPU nodes the update may terminate.
   * @default none - such a change is refused
   * @change no change - Allows a change that terminates GPU nodes. Refused if no change needs it.
   */
  endSession: s.optional(s.text()),
});

/** Which lab a stack runs, and how. */
const labEntries = {
  /** Lab that this stack runs. @default none - the lab of the stack's own name */
  lab: s.optional(s.text()),
  /**
   * `on` injects the lab's fault; `off` removes it. gpu-lab has none.
   * @default "off" - a fault is injected on purpose
   * @change in place, 1 min; with the operator, 1 to 5 min - No node is terminated. The page of each lab lists the
   * objects that change.
   */
  fault: onOrOff(),
  /**
   * End of the fault, at most 14 days ahead: a time such as `2026-12-01T18:00:00Z`, or a day, which ends at midnight UTC.
   * Required while the fault is on.
   * @default none - without a fault there is no end
   * @change in place, seconds - The end of the fault moves.
   */
  expires: s.optional(
    v.pipe(
      s.text(),
      s.check((got: string, path) => {
        if (endOf(got)) return [];
        const fix = `pulumi config set ${path} DAY, within ${longestFaultDays} days`;
        return [{ code: "not-allowed", path, got, why: endForm, fix }];
      }),
    ),
  ),
  /**
   * Form of the fault. model-server has `kvCache`, `context` and `tensorParallel`; no-node-comes has `limit`, `taint`,
   * `zone`, `instanceType`, `startupTaint`, `resourceClaim` and `timeSlicing`.
   * @default none - the first
   * @change in place, seconds - Only while the fault is on: the Deployment rolls out again. `startupTaint` changes the
   * NodePool instead.
   */
  faultVariant: s.optional(s.text()),
  /**
   * Stack whose cluster the lab uses: `ORGANIZATION/eks-gpu-lab/gpu-lab`.
   * @default none - the stack creates its own cluster
   * @change refused - The stack would delete its own cluster. Use another stack, or destroy first.
   */
  environment: s.optional(s.text()),
  /**
   * Local cluster on which the lab runs instead of AWS: no account, 0 USD.
   * @default none - the lab runs on AWS
   */
  localCluster: s.optional(localClusterSection),
  /**
   * Confirms changes that a preview refuses: each key names the cluster or the node group that is affected. Remove the
   * key after the update: a confirmation that is not needed is a problem.
   * @default none - nothing is confirmed
   */
  confirm: s.optional(confirmSection),
  /**
   * Name of the node that the fault affects. The page of a lab says whether the lab uses it.
   * @default none - any node
   * @change in place, seconds - Only in gpu-rollout: the Deployment's pods move to the other node.
   */
  // The name is also used as the value of a label.
  node: s.optional(v.pipe(nodeName(), labelValue(labKeys.node.example))),
  /**
   * Remedy to try while the fault is on. The page of a lab lists its remedies.
   * @default none - the fault as it is
   * @change in place, seconds - Only in gpu-rollout: the Deployment gets the other remedy, and rolls out again.
   */
  remedy: s.optional(s.text()),
  /**
   * GPU model that the remedy `affinity` of gpu-rollout selects, as shown by `kubectl get nodes -L
   * nvidia.com/gpu.product`.
   * @default none - required for that remedy
   * @change in place, seconds - Only in gpu-rollout with the remedy `affinity`: the Deployment rolls out again, to
   * nodes with this GPU.
   */
  gpuProduct: s.optional(labelValue(labKeys.gpuProduct.example)),
};

/** The keys that choose a lab and its fault; all others are arguments of the environment. */
export const labSection = s.section(labEntries);

/** Which lab a stack runs, and how. */
export interface LabSettings extends Readonly<ValueOf<typeof labSection>> {}

const { lab, ...faultEntries } = labEntries;

const { gpuOperator, clusterName, publicAccessCidrs, admins, addons, lease } = environmentEntries;

/**
 * Arguments of the environment that a stack may have while it uses the cluster of another: those of the operator, which
 * it may have to install, and those that it may have had for a cluster of its own.
 */
export const sharedSection = s.section({
  gpuOperator,
  clusterName,
  publicAccessCidrs: s.optional(publicAccessCidrs),
  admins,
  addons,
  lease,
});

/**
 * The value of `publicAccessCidrs` in Pulumi.yaml: an address that is reserved for documentation, because each user has
 * another. A plan works, a preview prints a warning, an update fails.
 */
export const placeholderCidr = "203.0.113.7/32";

/** Every key of the namespace `eks-gpu-lab`: Pulumi.yaml's `config` block and docs/configuration.md derive from it. */
export const configSection = s.section({
  /**
   * Lab that this stack runs.
   * @default none - the lab of the stack's own name
   * @change refused - The update would create everything again and delete what exists.
   */
  lab,
  ...environmentEntries,
  /**
   * Name of the cluster, up to 26 characters; the other physical names are derived from it.
   * @default the lab's own, such as myeks or plugin - several labs can run at the same time
   * @change refused - EKS cannot rename a cluster.
   */
  clusterName: s.optional(s.text()),
  ...faultEntries,
});

export type ConfigKey = keyof typeof configSection.entries;

/** How Pulumi stores a key's value. */
export function configType(key: ConfigKey): ConfigType {
  return typeOf(configSection.entries[key]);
}

/** The value that stands for none. Pulumi requires a value for every key that Pulumi.yaml declares. */
export function emptyValue(key: ConfigKey): unknown {
  const entry: Schema = configSection.entries[key];
  if (entry.type !== "optional" || v.getDefault(entry) !== undefined) return undefined;
  return empty[configType(key)];
}

const empty: Readonly<Partial<Record<ConfigType, unknown>>> = { string: "", array: [], object: {} };

function typeOf(schema: Schema): ConfigType {
  const { type, wrapped } = schema as Described;
  return wrapped ? typeOf(wrapped) : (types[type] ?? "string");
}

/** By the type of a schema. All others are strings. */
const types: Readonly<Partial<Record<string, ConfigType>>> = {
  ...{ array: "array", boolean: "boolean", number: "integer" },
  ...{ lazy: "object", object: "object", record: "object" },
};

/** The keys of a section such as `gpuNodes`; none for a single value, and none where the user chooses them. */
export function innerKeys(key: ConfigKey): readonly string[] {
  const { wrapped, entries } = configSection.entries[key] as Described;
  return Object.keys(entries ?? wrapped?.entries ?? {});
}

/** What a schema has of an optional one, and of a section. */
type Described = Schema & { readonly wrapped?: Schema & { readonly entries?: object }; readonly entries?: object };

/** A stack's configuration, as the reference documents it. */
export interface Configuration extends Readonly<GivenOf<typeof configSection>> {}
