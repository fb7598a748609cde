import type { Path } from "../../components/core/reader/paths";
import { all, any, equals, not, Reading, some, type Reader, type Truth } from "../engine/values";
import { custom } from "../engine/objects";
import type { Resource } from "../engine/resource";
import { gpusOfPod } from "./gpu-capacity";
import * as pods from "./pods";
import type { PodTemplate } from "./pods";

/** `maxSurge` or `maxUnavailable`: a number of pods, or a percentage of the replicas. */
interface Allowance {
  readonly number: number;
  readonly isPercent: boolean;
}

const none: Allowance = { number: 0, isPercent: false };
const one: Allowance = { number: 1, isPercent: false };
const percent = (number: number): Allowance => ({ number, isPercent: true });

/** How a controller replaces its pods. Paths are those of a block. */
interface Rollout {
  readonly strategy: string;
  /** The path of the allowances; undefined if nobody can set them. */
  readonly steps?: string;
  readonly surge: Allowance;
  readonly missing: Allowance;
  /** Whether a part of a pod that may be missing counts as one. */
  readonly roundsUp?: true;
  /** The path of the type, which can be Recreate. */
  readonly type?: string;
  /** Paths of what keeps all old pods until the traffic has moved. */
  readonly twofold?: readonly string[];
}

/** Where a controller has its pods. Paths are those of a block. */
interface Controller {
  /** The blocks with pods of their own. A list has one in each item, and `[].` leads into the items. @default the spec */
  readonly blocks?: readonly string[];
  readonly pod: string;
  /** The first path that has a value counts. @default "replicas" */
  readonly replicas?: readonly Path[];
  /** @default 1 */
  readonly replicasDefault?: number;
  /** The number of pods of a replica, and the first of them, if it is another one. */
  readonly size?: string;
  readonly leader?: string;
  /** @default none that starts a new pod first */
  readonly rollout?: Rollout;
  /** Paths of the resource with which another object decides on the rollout. */
  readonly unless?: readonly string[];
}

/**
 * By default both maxSurge and maxUnavailable of a Deployment are a quarter of the replicas, rounded up and down: with up to 3
 * replicas it stops none first.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
const rolling = { surge: percent(25), missing: percent(25) };
const ofDeployment = (strategy: string): Rollout => ({
  ...{ strategy, steps: `${strategy}.rollingUpdate`, type: `${strategy}.type` },
  ...rolling,
});
const ofArgo: Rollout = {
  ...{ strategy: "strategy", steps: "strategy.canary", ...rolling },
  twofold: ["strategy.blueGreen", "strategy.canary.trafficRouting"],
};
const ofKruise: Rollout = {
  ...{ strategy: "updateStrategy", steps: "updateStrategy", surge: none, missing: percent(20), roundsUp: true },
};
const inTemplate: Controller = { pod: "template.spec" };
const annotations = ["template", "metadata", "annotations"];

/**
 * The types of which the pods run, and use GPUs, at once. KServe also starts a new revision of Knative before it ends the old
 * one. A NIMService is not here: its operator ends pods first.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/
 * @see https://openkruise.io/docs/user-manuals/cloneset/#maxunavailable
 * @see https://knative.dev/docs/serving/autoscaling/scale-bounds/
 * @see https://kserve.github.io/website/docs/model-serving/predictive-inference/rollout-strategies/rollout-strategy-standard
 * @see https://github.com/kserve/kserve/blob/01bfd238/pkg/apis/serving/v1alpha1/llm_inference_service_types.go RolloutStrategy
 * @see https://lws.sigs.k8s.io/docs/reference/leaderworkerset.v1/#rollingupdateconfiguration
 * @see https://github.com/SeldonIO/seldon-core/blob/00908a96/operator/controllers/seldondeployment_controller.go
 */
const controllers: Readonly<Record<string, Controller>> = {
  [pods.barePod]: { pod: "" },
  [pods.deployment]: { ...inTemplate, rollout: ofDeployment("strategy") },
  [pods.rollout]: { ...inTemplate, rollout: ofArgo },
  [pods.cloneSet]: { ...inTemplate, rollout: ofKruise },
  [pods.statefulSet]: inTemplate,
  [pods.replicaSet]: inTemplate,
  [pods.replicationController]: inTemplate,
  [pods.daemonSet]: { ...inTemplate, rollout: { ...ofDeployment("updateStrategy"), surge: none, missing: none } },
  [pods.job]: { ...inTemplate, replicas: ["parallelism"] },
  ...Object.fromEntries([
    ...custom<Controller>(
      {
        ...{ ...inTemplate, rollout: { strategy: "template", surge: percent(100), missing: none } },
        replicas: ["min-scale", "minScale"].map((name) => [...annotations, `autoscaling.knative.dev/${name}`]),
        replicasDefault: 0,
      },
      "serving.knative.dev/v1:Service",
    ),
    ...custom<Controller>(
      {
        ...{ blocks: ["spec.predictor", "spec.transformer", "spec.explainer"], pod: "" },
        ...{ replicas: ["minReplicas"], rollout: ofDeployment("deploymentStrategy") },
      },
      "serving.kserve.io/v1beta1:InferenceService",
    ),
    ...custom<Controller>(
      {
        ...{ blocks: ["spec", "spec.prefill"], pod: "template" },
        rollout: { strategy: "rolloutStrategy", steps: "rolloutStrategy", ...rolling },
        unless: ["spec.baseRefs", "spec.worker", "spec.prefill.worker"],
      },
      "serving.kserve.io/v1alpha1,v1alpha2:LLMInferenceService",
    ),
    ...custom<Controller>(
      {
        ...{ pod: "leaderWorkerTemplate.workerTemplate.spec", size: "leaderWorkerTemplate.size" },
        leader: "leaderWorkerTemplate.leaderTemplate.spec",
        rollout: {
          ...{ strategy: "rolloutStrategy", steps: "rolloutStrategy.rollingUpdateConfiguration" },
          ...{ surge: none, missing: one },
        },
      },
      "leaderworkerset.x-k8s.io/v1:LeaderWorkerSet",
    ),
    ...custom<Controller>(
      {
        ...{ blocks: ["spec.predictors[].componentSpecs"], pod: "spec" },
        rollout: { strategy: "spec", surge: percent(25), missing: none },
      },
      "machinelearning.seldon.io/v1:SeldonDeployment",
    ),
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
    const { pod, replicas: paths = ["replicas"], replicasDefault = 1 } = controller;
    this.pod = pods.podTemplateAt(resource, pod === "" ? block : block.at(pod));
    const stated = paths.map((path) => block.integer(path));
    this.replicas = (stated.find(({ isAbsent }) => isAbsent !== true) ?? block.integer(paths[0])).or(replicasDefault);
    this.size = this.sizeOf();
  }

  /** A leader with fewer GPUs does not count. */
  private sizeOf(): Reading<number> {
    const { size, leader = "" } = this.controller;
    if (size === undefined) return Reading.known(this.block.path, 1, "1");
    const other = this.block.at(leader);
    const isSmaller =
      other.entries().isAbsent !== true &&
      gpusOfPod(pods.podTemplateAt(this.resource, other)).least < gpusOfPod(this.pod).least;
    return this.block
      .integer(size)
      .or(1)
      .map((number) => (isSmaller ? number - 1 : number), String);
  }

  /** What a message says of the rollout. */
  get strategy(): { readonly path: string; readonly fix: string; readonly isStated: boolean } {
    const { strategy = "", steps, type } = this.controller.rollout ?? {};
    const recreate = type === undefined ? "" : `${this.block.at(type).path} to Recreate, or `;
    const fix =
      steps === undefined
        ? "raise the maximum size of the GPU node group"
        : `set ${recreate}${this.block.at(steps).path} to maxSurge 0 and maxUnavailable 1`;
    const given = this.block.at(strategy);
    return { path: given.path, fix, isStated: given.list().isAbsent !== true };
  }

  private step(key: "maxSurge" | "maxUnavailable"): Reader | undefined {
    const steps = this.controller.rollout?.steps;
    return steps === undefined ? undefined : this.block.at(`${steps}.${key}`);
  }

  /** Whether a rollout starts a new pod before it stops an old one. */
  get surgesOnly(): Truth {
    const { rollout, unless = [] } = this.controller;
    if (!rollout) return false;
    const { roundsUp = false, type, twofold = [] } = rollout;
    const surge = allowance(this.step("maxSurge"), rollout.surge);
    const missing = allowance(this.step("maxUnavailable"), rollout.missing);
    const endsNone = missing.is((part) =>
      part.isPercent && !roundsUp
        ? this.replicas.is((replicas) => Math.floor((part.number * replicas) / 100) === 0)
        : part.number === 0,
    );
    const isTwofold = some(twofold, (path) => not(this.block.entries(path).isAbsent));
    const isRolling = type === undefined || equals(this.block.text(type).or("RollingUpdate"), "RollingUpdate");
    const isElsewhere = some(unless, (path) => not(this.resource.at(path).list().isAbsent));
    const hasNone = this.replicas.is((replicas) => replicas < 1);
    return all(isRolling, any(isTwofold, all(isSome(surge), endsNone)), not(hasNone), not(isElsewhere));
  }
}

function isSome(part: Reading<Allowance>): Truth {
  return part.is(({ number }) => number > 0);
}

/** A part that nobody can set has its default. */
function allowance(given: Reader | undefined, fallback: Allowance): Reading<Allowance> {
  const show = ({ number, isPercent }: Allowance) => `${number}${isPercent ? "%" : ""}`;
  if (given === undefined) return Reading.known("", fallback, show(fallback));
  const whole = given.integer().map((number): Allowance => ({ number, isPercent: false }), show);
  const share = given.text().map((text): Allowance | undefined => {
    const digits = /^(\d{1,9})%$/.exec(text)?.[1];
    return digits === undefined ? undefined : percent(Number(digits));
  }, show);
  return (share.is(() => true) === true ? share : whole).or(fallback, show(fallback));
}
