import { any, Reader, type Reading, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { templatesOf } from "./launch-templates";
import { someOf } from "./lists";
import { pulumiGroups } from "./node-sources";

/** A taint of nodes that register themselves, in Kubernetes' spelling. */
interface Taint {
  readonly key: string;
  readonly effect: string;
}

/** Properties of the self-managed groups of @pulumi/eks with user data or arguments of the kubelet. */
const textProperties = ["nodeUserData", "nodeUserDataOverride", "kubeletExtraArgs", "bootstrapExtraArgs"];

/** The taints of self-managed nodes: those in user data, and the arguments of @pulumi/eks. */
export function selfManagedTaints(group: Resource, stack: Stack) {
  const isOfPulumi = pulumiGroups.includes(group.type);
  const texts = isOfPulumi ? argumentTexts(group) : templatesOf(stack, group).map((one) => one.text("userData"));
  const isInText = (isMeant: (text: string) => boolean) => any(...texts.map((text) => text.is(isMeant)));
  const isHard = (isKey: (key: string) => boolean) => {
    const matches = ({ key, effect }: Taint) => isKey(key) && isRepelling(effect);
    const inArguments = isOfPulumi && any(hasArgument(group, isKey), hasSetting(group, isKey));
    return any(
      isInText((text) => taintsIn(text).some(matches)),
      inArguments,
    );
  };
  return {
    /** Whether the nodes join a cluster: other Auto Scaling groups have no taints. */
    joinsCluster: isOfPulumi || isInText((text) => scriptsIn(text).some(joins)),
    /** Where to add a taint. */
    path: isOfPulumi ? group.at("taints").path : (texts[0]?.path ?? "userData"),
    /** Whether a taint with such a key repels pods. */
    isHard,
  };
}

function argumentTexts(group: Resource): Reading<string>[] {
  const options = group.list("nodeadmExtraOptions");
  const contents = (options.value ?? []).slice(0, 20).map((option) => option.text("content"));
  const open = options.isUnknown ? [group.text("nodeadmExtraOptions")] : [];
  return [...textProperties.map((property) => group.text(property)), ...contents, ...open];
}

/** @see https://www.pulumi.com/registry/packages/eks/api-docs/nodegroupv2/ taints */
function hasArgument(group: Resource, isKey: (key: string) => boolean): Truth {
  return someOf(group.entries("taints"), ([key, taint]) => isKey(key) && taint.text("effect").is(isRepelling));
}

function hasSetting(group: Resource, isKey: (key: string) => boolean): Truth {
  const taints = group.entries("bottlerocketSettings.settings.kubernetes.node-taints");
  const isHard = (value: Reader) => value.text().is((text) => isRepelling(effectOf(text)));
  return someOf(taints, ([key, values]) => isKey(key) && any(isHard(values), someOf(values.list(), isHard)));
}

function isRepelling(effect: string): boolean {
  return ["NoSchedule", "NoExecute", "NO_SCHEDULE", "NO_EXECUTE"].includes(effect);
}

/** The effect in `value:NoSchedule`. */
function effectOf(text: string): string {
  return text.split(":").at(-1) ?? "";
}

/** More than EC2 accepts, as base64. */
const longest = 64 * 1024;

/** User data as it is, and decoded from base64. */
export function userDataTexts(userData: string): string[] {
  const given = userData.slice(0, longest);
  return [given, Buffer.from(given, "base64").toString("latin1")];
}

/** The same without lines of comments. */
function scriptsIn(userData: string): string[] {
  return userDataTexts(userData).map((text) => text.replace(/^[ \t]*#.*$/gm, ""));
}

/** Whether user data lets a node join an EKS cluster: the script of AL2, the NodeConfig of AL2023, or Bottlerocket. */
function joins(script: string): boolean {
  return /bootstrap\.sh|\bnode\.eks\.aws\/|^\s*\[settings\.kubernetes[\].]/m.test(script);
}

/**
 * The taints in user data, base64 or plain: of the kubelet's argument, of the NodeConfig of AL2023, and of Bottlerocket's
 * settings.
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/ --register-with-taints
 * @see https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
 * @see https://bottlerocket.dev/en/os/latest/api/settings/kubernetes/#node-taints
 */
function taintsIn(userData: string): Taint[] {
  return scriptsIn(userData).flatMap((script) => [
    ...ofArgument(script),
    ...ofNodeConfig(script),
    ...ofSettings(script),
  ]);
}

/** `--register-with-taints=nvidia.com/gpu=true:NoSchedule,team=ml:NoExecute` */
function ofArgument(script: string): Taint[] {
  const lists = [...script.matchAll(/--register-with-taints(?:=|\s+)["']?([^\s"']{1,2000})/g)];
  return lists.flatMap(([, list = ""]) =>
    list.split(",").map((taint) => ({ key: taint.split(/[=:]/)[0] ?? "", effect: effectOf(taint) })),
  );
}

/** The part of a MIME document, or the whole text, with a NodeConfig. */
function ofNodeConfig(script: string): Taint[] {
  if (!script.includes("registerWithTaints")) return [];
  const parts = script.split(/^--.*$/m).filter((part) => part.includes("registerWithTaints"));
  const configs = parts.flatMap(
    (part) => yamlDocuments(part.slice(Math.max(0, part.search(/^\s*(---|apiVersion:|\{)/m)))) ?? [],
  );
  return configs.flatMap((config) => {
    const taints = new Reader(config).list("spec.kubelet.config.registerWithTaints").value ?? [];
    return taints.map((taint) => ({ key: taint.text("key").value ?? "", effect: taint.text("effect").value ?? "" }));
  });
}

/** `[settings.kubernetes.node-taints]` with `"nvidia.com/gpu" = ["true:NoSchedule"]`, or an inline table. */
function ofSettings(script: string): Taint[] {
  let section = "";
  const oneLineEach = script.replace(/=[ \t]*\[[^\]=]{0,2000}\]/g, (list) => list.replaceAll("\n", " "));
  return oneLineEach.split("\n").flatMap((line) => {
    const header = /^\s*\[([\w.-]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
    section = header ?? section;
    if (section === "settings.kubernetes.node-taints" && header === undefined) return pairsIn(line);
    const [, inline] = /^\s*(?:settings\.kubernetes\.)?node-taints\s*=\s*\{(.*)\}/.exec(line) ?? [];
    return inline === undefined ? [] : pairsIn(inline);
  });
}

/** The taints in TOML pairs: a key, and a string or a list of strings such as `true:NoSchedule`. */
function pairsIn(text: string): Taint[] {
  const pairs = text.slice(0, 2000).matchAll(/["']?([\w./-]+)["']?\s*=\s*(\[[^\]]*\]|"[^"]*"|'[^']*')/g);
  return [...pairs].flatMap(([, key = "", values = ""]) =>
    [...values.matchAll(/["']([^"']*)["']/g)].map(([, value = ""]) => ({ key, effect: effectOf(value) })),
  );
}
