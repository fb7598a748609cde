import type { Path } from "../../components/core/reader/paths";
import { Reader, unknownSentinels } from "../engine/values";
import { isBlock } from "./lists";

/** Containers of a block that are not in a list of Kubernetes. */
export type ContainersIn = (block: Reader) => readonly Reader[];

/** Containers at some keys, each a container or a list. */
export function ofKeys(...keys: readonly string[]): ContainersIn {
  return (block) =>
    keys.flatMap((key) => {
      const given = block.at(key);
      return (given.list().value ?? [given]).filter(isBlock);
    });
}

/** Such containers, by the group of the object. */
export const otherContainers: Readonly<Record<string, ContainersIn>> = {
  "argoproj.io": ofKeys("container", "script", "sidecars"),
  "nvidia.com": ofKeys("mainContainer"),
  "serving.kserve.io": ofKeys(
    ...["model", "sklearn", "xgboost", "lightgbm", "pmml", "paddle", "tensorflow", "pytorch", "triton", "onnx"],
    ...["huggingface", "worker"],
  ),
  // The trainer has the keys of a container, but the pod with its tolerations is in a TrainingRuntime.
  "trainer.kubeflow.org": (block) => (isBlock(block.at("trainer")) ? [new ContainerView(block.at("trainer"))] : []),
  // A service is its pod and its only container.
  "apps.nvidia.com": (block) => (isBlock(block.at("image")) ? [new ContainerView(block)] : []),
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

/** A block with the keys of a container under other names: see {@link otherContainers}. */
class ContainerView extends Reader {
  constructor(private readonly block: Reader) {
    super(undefined, block.path);
  }

  override at(path: Path): Reader {
    const [first = "", ...rest] = typeof path === "string" ? path.split(".") : path;
    if (first === "image" && isBlock(this.block.at("image"))) return this.image();
    if (first !== "resources") return this.block.at(path);
    const others = ["resourcesPerNode", "computeResources"].map((key) => this.block.at(key));
    const resources = isBlock(this.block.at("gpu")) ? this.gpu() : (others.find(isBlock) ?? this.block.at(first));
    return resources.at(rest);
  }

  /** An image in two parts. */
  private image(): Reader {
    const [name, tag] = ["repository", "tag"].map((key) => this.block.text(`image.${key}`));
    const whole = [name, tag].flatMap((part) => part?.value ?? []).join(":");
    const isOpen = name?.value === undefined || tag?.isUnknown;
    return new Reader(isOpen ? unknownSentinels.text : whole, this.block.at("image.tag").path);
  }

  private gpu(): Reader {
    const { value } = this.block.text("gpu.name");
    const quantity = this.block.integer("gpu.quantity");
    const gpus = { [value ?? ""]: quantity.isUnknown ? unknownSentinels.text : quantity.value };
    // Spark sets memory and CPU of its pods, by default to these.
    return new Reader({ limits: { ...gpus, memory: "1g" }, requests: { cpu: "1" } }, this.block.at("gpu").path);
  }
}
