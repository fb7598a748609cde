import type { Path } from "../../components/core/reader/paths";
import { all, any, equals, not, Reading, some, type Reader, type Truth } from "../engine/values";
import { custom } from "../engine/objects";
import type { Resource } from "../engine/resource";
import { gpusOfPod } from "./gpu-capacity";
import * as pods from "./pods";
import type { PodTemplate } from "./pods";

/** Where a controller has its pods, and how it replaces them. Paths are those of a block. */
interface Controller {
  /** The blocks with pods of their own. A list has one in each item, and `[].` leads into the items. @default the spec */
  readonly blocks?: readonly string[];
  /** @default "template.spec" */
  readonly pod?: string;
  /** @default "replicas" */
  readonly replicas?: Path;
  /** @default 1 */
  readonly replicasDefault?: number;
  /** The number of pods of a replica, and the first of them, if it is another one. */
  readonly size?: string;
  readonly leader?: string;
  /** @default a controller that starts no new pod first */
  readonly strategy?: string;
  /** The path of the allowances. @default rollingUpdate of the strategy */
  readonly steps?: string;
  /** `maxSurge`: a number of pods, or a share of the replicas. @default "25%", which is rounded up */
  readonly surge?: string;
  /** `maxUnavailable`. @default "25%", which is rounded down: with up to 3 replicas a Deployment stops none first */
  readonly missing?: string;
  /** Whether a part of a pod that may be missing counts as one. */
  readonly roundsUp?: true;
  /** Whether the type of the strategy can be Recreate. */
  readonly recreates?: true;
  /** Whether users cannot set the strategy. */
  readonly isFixed?: true;
  /** Paths of what keeps all old pods until the traffic has moved. */
  readonly twofold?: readonly string[];
  /** Paths of the resource with which another object decides on the rollout. */
  readonly unless?: readonly string[];
}

const argo: Controller = {
  ...{ strategy: "strategy", steps: "strategy.canary" },
  twofold: ["strategy.blueGreen", "strategy.canary.trafficRouting"],
};
const kruise: Controller = {
  ...{ strategy: "updateStrategy", steps: "updateStrategy", surge: "0", missing: "20%", roundsUp: true },
};
/** A new revision starts before the old one ends. */
const knative: Controller = {
  ...{ replicas: ["template", "metadata", "annotations", "autoscaling.knative.dev/min-scale"], replicasDefault: 0 },
  ...{ strategy: "template", surge: "100%", missing: "0", isFixed: true },
};
const kserve: Controller = {
  ...{ blocks: ["spec.predictor", "spec.transformer", "spec.explainer"], pod: "", replicas: "minReplicas" },
  ...{ strategy: "deploymentStrategy", recreates: true },
};
const llm: Controller = {
  ...{ blocks: ["spec", "spec.prefill"], pod: "template", strategy: "rolloutStrategy", steps: "rolloutStrategy" },
  unless: ["spec.baseRefs", "spec.worker", "spec.prefill.worker"],
};
const leaderWorkerSet: Controller = {
  ...{ pod: "leaderWorkerTemplate.workerTemplate.spec", leader: "leaderWorkerTemplate.leaderTemplate.spec" },
  ...{ size: "leaderWorkerTemplate.size", strategy: "rolloutStrategy", surge: "0", missing: "1" },
  steps: "rolloutStrategy.rollingUpdateConfiguration",
};
const seldon: Controller = {
  ...{ blocks: ["spec.predictors[].componentSpecs"], pod: "spec", strategy: "spec", missing: "0", isFixed: true },
};

/**
 * The types of which the pods run, and use GPUs, at once. A NIMService is not here: its operator ends pods first.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/
 * @see https://openkruise.io/docs/user-manuals/cloneset/#maxunavailable
 * @see https://knative.dev/docs/serving/autoscaling/scale-bounds/
 * @see https://kserve.github.io/website/docs/model-serving/predictive-inference/rollout-strategies/rollout-strategy-standard
 * @see https://github.com/kserve/kserve/blob/01bfd238/pkg/apis/serving/v1alpha1/llm_inference_service_types.go RolloutStrategy
 * @see https://github.com/kubernetes-sigs/lws/blob/main/docs/examples/sample/README.md
 * @see https://github.com/SeldonIO/seldon-core/blob/00908a96/operator/controllers/seldondeployment_controller.go
 */
const controllers: Readonly<Record<string, Controller>> = {
  [pods.barePod]: { pod: "" },
  [pods.deployment]: { strategy: "strategy", recreates: true },
  [pods.daemonSet]: { strategy: "updateStrategy", surge: "0", missing: "0" },
  [pods.statefulSet]: {},
  [pods.replicaSet]: {},
  [pods.replicationController]: {},
  [pods.job]: { replicas: "parallelism" },
  ...Object.fromEntries([
    ...custom(argo, "argoproj.io/v1alpha1:Rollout"),
    ...custom(kruise, "apps.kruise.io/v1alpha1:CloneSet"),
    ...custom(knative, "serving.knative.dev/v1:Service"),
    ...custom(kserve, "serving.kserve.io/v1beta1:InferenceService"),
    ...custom(llm, "serving.kserve.io/v1alpha1,v1alpha2:LLMInferenceService"),
    ...custom(leaderWorkerSet, "leaderworkerset.x-k8s.io/v1:LeaderWorkerSet"),
    ...custom(seldon, "machinelearning.seldon.io/v1:SeldonDeployment"),
  ]),
};

/** See {@link controllers}. */
export const workloadTypes: readonly string[] = Object.keys(controllers);

/** The workloads that a resource describes: several for one that has pods of several kinds. */
export function workloadsIn(resource: Resource): Workload[] {
  const controller = controllers[resource.type];
  if (!controller) return [];
  const blocks = (controller.blocks ?? ["spec"]).flatMap((path) => blocksAt(resource, path.split("[].")));
  return blocks.map((block) => new Workload(resource, block, controller));
}

/** The blocks at a path. An item of a list has the values of the item around it that it lacks. */
function blocksAt(holder: Reader, [path = "", ...rest]: readonly string[]): Reader[] {
  const [here, isInside] = [holder.at(path), holder.path !== ""];
  const items = here.list().value?.map((item) => (isInside ? item.over(holder) : item)) ?? [here];
  return rest.length === 0 ? items : items.flatMap((item) => blocksAt(item, rest));
}

/** Pods that are alike, and what keeps them running. */
export class Workload {
  readonly pod: PodTemplate;
  /** A bare pod has no replicas and counts as one. */
  readonly replicas: Reading<number>;
  /** The number of pods of a replica. */
  readonly size: Reading<number>;

  constructor(
    readonly resource: Resource,
    private readonly block: Reader,
    private readonly controller: Controller,
  ) {
    const { pod = "template.spec", replicas = "replicas", replicasDefault = 1 } = controller;
    this.pod = pods.podTemplateAt(resource, pod === "" ? block : block.at(pod));
    this.replicas = block.integer(replicas).or(replicasDefault);
    this.size = this.sizeOf();
  }

  /** A leader with fewer GPUs does not count. */
  private sizeOf(): Reading<number> {
    const { size, leader = "" } = this.controller;
    if (size === undefined) return Reading.known(this.block.path, 1, "1");
    const first = this.block.at(leader);
    const ofLeader = first.entries().isAbsent === true ? this.pod : pods.podTemplateAt(this.resource, first);
    const rest = gpusOfPod(ofLeader).least < gpusOfPod(this.pod).least ? 1 : 0;
    const given = this.block.integer(size).or(1);
    return given.map((number) => number - rest, String);
  }

  /** What a message says of the rollout. */
  get strategy(): { readonly path: string; readonly fix: string; readonly isStated: boolean } {
    const { strategy = "", recreates, isFixed } = this.controller;
    const given = this.block.at(strategy);
    const recreate = recreates ? `${given.at("type").path} to Recreate, or ` : "";
    const fix = isFixed
      ? "raise the maximum size of the GPU node group"
      : `set ${recreate}${this.steps.path} to maxSurge 0 and maxUnavailable 1`;
    return { path: given.path, fix, isStated: given.list().isAbsent !== true };
  }

  private get steps(): Reader {
    const { strategy = "", steps = `${strategy}.rollingUpdate` } = this.controller;
    return this.block.at(steps);
  }

  /** Whether a rollout starts a new pod before it stops an old one. */
  get surgesOnly(): Truth {
    const { strategy, surge = "25%", missing = "25%", roundsUp = false, twofold = [], unless = [] } = this.controller;
    if (strategy === undefined) return false;
    const surges = allowance(this.steps.at("maxSurge"), surge).is((part) => !isNone(part));
    const endsNone = allowance(this.steps.at("maxUnavailable"), missing).is((part) =>
      part.endsWith("%") && !roundsUp
        ? this.replicas.is((replicas) => Math.floor((parseInt(part) * replicas) / 100) === 0)
        : isNone(part),
    );
    const isTwofold = some(twofold, (path) => not(this.block.entries(path).isAbsent));
    const isRolling = not(equals(this.block.at(strategy).text("type"), "Recreate", "OnDelete"));
    const isElsewhere = some(unless, (path) => not(this.resource.at(path).list().isAbsent));
    const hasNone = this.replicas.is((replicas) => replicas < 1);
    return all(isRolling, any(isTwofold, all(surges, endsNone)), not(hasNone), not(isElsewhere));
  }
}

function isNone(part: string): boolean {
  return parseInt(part) === 0;
}

function allowance(given: Reader, fallback: string): Reading<string> {
  const share = given.text().map((text) => (/^\d{1,9}%$/.test(text) ? text : undefined), String);
  const whole = given.integer().map(String, String);
  return (share.is(() => true) === true ? share : whole).or(fallback);
}
