import type { Path } from "../../components/core/reader/paths";
import { Reader, unknownSentinels } from "../engine/values";
import { isBlock } from "./lists";

/** Containers of a block that are not in a list of Kubernetes. `under` is what the block inherits. */
export type ContainersIn = (block: Reader, under?: Reader) => readonly Reader[];

/** Containers at some keys, each a container or a list. */
export function ofKeys(...keys: readonly string[]): ContainersIn {
  return (block) =>
    keys.flatMap((key) => {
      const given = block.at(key);
      return (given.list().value ?? [given]).filter(isBlock);
    });
}

/** A block that is a pod and its only container. */
const whole: ContainersIn = (block) => (isBlock(block.at("image")) ? [new ContainerView(block)] : []);

/** Such containers, by the group of the object. */
export const otherContainers: Readonly<Record<string, ContainersIn>> = {
  "argoproj.io": ofKeys("container", "script", "sidecars"),
  // A service of Dynamo has its resources beside its pod.
  "nvidia.com": (block, service = block) =>
    ofKeys("mainContainer")(block).map((main) => {
      const resources = service.at("resources");
      if (resources.entries().isAbsent === true) return main;
      return new ContainerView(main, dynamoResources(resources).over(main.at("resources")));
    }),
  "serving.kserve.io": ofKeys(
    ...["model", "sklearn", "xgboost", "lightgbm", "pmml", "paddle", "tensorflow", "pytorch", "triton", "onnx"],
    ...["huggingface", "worker"],
  ),
  // The trainer has the keys of a container, but the pod with its tolerations is in a TrainingRuntime.
  "trainer.kubeflow.org": (block) => (isBlock(block.at("trainer")) ? [new ContainerView(block.at("trainer"))] : []),
  "apps.nvidia.com": whole,
  "production-stack.vllm.ai": whole,
  "kubeai.org": (block) => (block.text("image").isAbsent === true ? [] : [block]),
  "sparkoperator.k8s.io": (block) => {
    const isRole = /\.(driver|executor)$/.test(block.path) && isBlock(block);
    const isWhole = ["driver", "executor"].some((key) => isBlock(block.at(key)));
    return isRole || isWhole ? [new ContainerView(block)] : [];
  },
  // A step has what it lacks from the template of the steps. A run adds to its pods, of which it has no list of containers.
  "tekton.dev": (block) => {
    if (/odTemplate$/.test(block.path)) return [new Reader({}, block.path)];
    const steps = ofKeys("steps", "sidecars")(block);
    return steps.map((step) => new ContainerView(step.over(block.at("stepTemplate"))));
  },
};

/**
 * Amounts in which `gpu` stands for the resource that `gpuType` names, by default NVIDIA's.
 * @see https://github.com/ai-dynamo/dynamo/blob/3ca5653f/deploy/cloud/operator/api/dynamo/common/common.go
 */
function dynamoResources(resources: Reader): Reader {
  const plain = (amount: Reader) => {
    const { isUnknown, value } = amount.text();
    return isUnknown ? unknownSentinels.text : (value ?? amount.integer().value);
  };
  const of = (kind: string) => {
    const given = resources.entries(kind);
    if (given.isUnknown) return unknownSentinels.object;
    const type = resources.text(`${kind}.gpuType`).value ?? "nvidia.com/gpu";
    const amounts = given.value?.map(([key, amount]) => [key === "gpu" ? type : key, plain(amount)] as const);
    return amounts && Object.fromEntries(amounts);
  };
  return new Reader({ limits: of("limits"), requests: of("requests") }, resources.path);
}

/** A block with the keys of a container under other names: see {@link otherContainers}. */
class ContainerView extends Reader {
  /** @param given its resources, if they are elsewhere */
  constructor(
    private readonly block: Reader,
    private readonly given?: Reader,
  ) {
    super(undefined, block.path);
  }

  override at(path: Path): Reader {
    const [first = "", ...rest] = typeof path === "string" ? path.split(".") : path;
    if (first === "image" && isBlock(this.block.at("image"))) return this.image();
    if (first !== "resources") return this.block.at(path);
    const others = ["resourcesPerNode", "computeResources"].map((key) => this.block.at(key));
    const own = isBlock(this.block.at("gpu")) ? this.gpu() : (others.find(isBlock) ?? this.block.at(first));
    return (this.given ?? own).at(rest);
  }

  /** An image in two parts, or with a registry apart. */
  private image(): Reader {
    const isWhole = this.block.entries("image").value?.some(([key]) => key === "name") === true;
    const [name, tag] = [isWhole ? "name" : "repository", "tag"].map((key) => this.block.text(`image.${key}`));
    const whole = [name, tag].flatMap((part) => part?.value ?? []).join(":");
    const isOpen = name?.value === undefined || tag?.isUnknown;
    return new Reader(isOpen ? unknownSentinels.text : whole, this.block.at(isWhole ? "image.name" : "image.tag").path);
  }

  private gpu(): Reader {
    const { value } = this.block.text("gpu.name");
    const quantity = this.block.integer("gpu.quantity");
    const gpus = { [value ?? ""]: quantity.isUnknown ? unknownSentinels.text : quantity.value };
    // Spark sets memory and CPU of its pods, by default to these.
    return new Reader({ limits: { ...gpus, memory: "1g" }, requests: { cpu: "1" } }, this.block.at("gpu").path);
  }
}
