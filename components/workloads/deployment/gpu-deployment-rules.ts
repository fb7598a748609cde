import { isPlainObject, join, keysOf, noObject, oneOf, onlyKeys, trueOrFalse, wholeNumber } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import type { Problem } from "../../core/problems";
import { transformProblems } from "../../core/transform";
import { labelValue } from "../../nodes/checks";
import { amountProblems, envProblems, textsProblems } from "../shared/amounts";
import { imageProblems } from "../shared/images";
import { freeTextProblems } from "../shared/names";
import { workloadKeys, workloadProblems } from "../shared/workload";
import {
  gpuDeploymentDefaults,
  type GpuDeploymentArgs,
  type GpuDeploymentTransform,
  type GpuPriority,
} from "./gpu-deployment-args";

type Given = Readonly<Record<string, unknown>>;

const gpuDeploymentKeys = keysOf<GpuDeploymentArgs>({
  ...workloadKeys,
  replicas: true,
  gpus: true,
  rollout: true,
  pinnedTo: true,
  allowDeadlock: true,
  gpuProducts: true,
  priority: true,
  revision: true,
  progressDeadlineSeconds: true,
  image: true,
  command: true,
  args: true,
  env: true,
  port: true,
  readiness: true,
  cpu: true,
  memory: true,
  user: true,
  transform: true,
});

const transformKeys = keysOf<GpuDeploymentTransform>({ deployment: true, service: true, priorityClass: true });

/** Everything that is wrong with the arguments of a GpuDeployment. `at` leads the paths. */
export function gpuDeploymentProblems(args: GpuDeploymentArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Given = withDefaults(args, gpuDeploymentDefaults);
  return [
    ...onlyKeys(at, args, gpuDeploymentKeys),
    ...workloadProblems(given, at),
    ...rolloutProblems(given, at),
    ...placementProblems(given, at),
    ...containerProblems(given, at),
    ...transformProblems(join(at, "transform"), args.transform, transformKeys),
  ];
}

function rolloutProblems(given: Given, at: string): Problem[] {
  const seconds = { min: 1, max: 86_400, unit: "seconds" };
  const problems = [
    ...wholeNumber(join(at, "replicas"), given["replicas"], { min: 0, max: 1000 }),
    ...oneOf(join(at, "rollout"), given["rollout"], ["in-place", "recreate", "surge"]),
    ...trueOrFalse(join(at, "allowDeadlock"), given["allowDeadlock"]),
    ...freeTextProblems(join(at, "revision"), given["revision"]),
    ...wholeNumber(join(at, "progressDeadlineSeconds"), given["progressDeadlineSeconds"], seconds),
  ];
  if (given["rollout"] === "surge" && given["pinnedTo"] !== undefined && given["allowDeadlock"] !== true) {
    problems.push({
      code: "conflict",
      path: join(at, "rollout"),
      got: "surge",
      why: "The new pod needs a GPU of the one node that pinnedTo names, while the old pod holds it and may only be ended once the new one is ready. Below four replicas, to which any Deployment may be scaled down, neither ever happens.",
      fix: `set ${join(at, "rollout")} to "in-place", or leave pinnedTo out; where the deadlock is what you want to see, set ${join(at, "allowDeadlock")} to true`,
    });
  }
  return problems;
}

function placementProblems(given: Given, at: string): Problem[] {
  const { gpuProducts, pinnedTo } = given;
  const products = join(at, "gpuProducts");
  const wrongList = textsProblems(products, gpuProducts, '["NVIDIA-A10G"]');
  const items = wrongList.length === 0 ? (gpuProducts as readonly string[]) : [];
  return [
    ...wholeNumber(join(at, "gpus"), given["gpus"], { min: 1, max: 16 }),
    ...(pinnedTo === undefined ? [] : nodeProblems(join(at, "pinnedTo"), pinnedTo)),
    ...wrongList,
    ...items.flatMap((item, index) => productProblems(`${products}[${index}]`, item)),
    ...priorityProblems(join(at, "priority"), given["priority"]),
  ];
}

/** A host name is the value of a label. */
function nodeProblems(path: string, got: unknown): Problem[] {
  if (got !== "") return labelValue(got, path);
  const fix = `set ${path} to a host name such as "ip-192-168-1-2.ap-northeast-2.compute.internal", or leave it out`;
  return [{ code: "not-allowed", path, got, why: "No node has an empty name.", fix }];
}

function productProblems(path: string, got: string): Problem[] {
  const fix = `set ${path} to a model as kubectl get nodes -L nvidia.com/gpu.product shows it, such as "NVIDIA-A10G"`;
  const problems = got === "" ? [{ code: "not-allowed" as const, path, got, why: "It is empty.", fix }] : [];
  return [...problems, ...labelValue(got, path).map((problem) => ({ ...problem, fix }))];
}

const priorityKeys = keysOf<GpuPriority>({ value: true, preempts: true });

/** Greater values are Kubernetes' own. @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ */
function priorityProblems(path: string, got: unknown): Problem[] {
  if (got === undefined) return [];
  if (!isPlainObject(got)) return noObject(path, got);
  const { value, preempts = "lower" } = got;
  return [
    ...onlyKeys(path, got, priorityKeys),
    ...wholeNumber(join(path, "value"), value, { min: -1_000_000_000, max: 1_000_000_000 }),
    ...oneOf(join(path, "preempts"), preempts, ["lower", "never"]),
  ];
}

function containerProblems(given: Given, at: string): Problem[] {
  const lists = (["command", "args"] as const).filter((key) => given[key] !== undefined);
  return [
    ...imageProblems(join(at, "image"), given["image"]),
    ...lists.flatMap((key) => textsProblems(join(at, key), given[key], '["python3", "-m", "http.server"]')),
    ...envProblems(join(at, "env"), given["env"], ["PORT", "REVISION"]),
    ...wholeNumber(join(at, "port"), given["port"], { min: 1, max: 65_535 }),
    ...oneOf(join(at, "readiness"), given["readiness"], ["tcp", "http", "none"]),
    ...amountProblems(join(at, "cpu"), given["cpu"], "cpu"),
    ...amountProblems(join(at, "memory"), given["memory"], "memory"),
    ...wholeNumber(join(at, "user"), given["user"], { min: 0, max: 2_147_483_647 }),
  ];
}
