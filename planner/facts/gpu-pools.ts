import { gibOf } from "../../components/core/reader/gib";
import type { Reader } from "../../components/core/reader/reader";
import { optionalProperty } from "../../components/core/reader/records";
import { instanceType } from "../../components/nodes/machine/instance-types";
import { Resource } from "../../policies/engine/resource";
import { allowsMarket, namedBy } from "../../policies/facts/karpenter";
import { autoModeClass, autoModeDiskGiB, nodeClasses } from "../../policies/facts/launch-templates";
import { machineTypes } from "../../policies/facts/node-groups";
import { asAnalyzed } from "../record/recorded-resource";
import { gpuOf, subnetsOf, taintText, zonesOf, type NodeGroupFacts } from "./node-groups";
import { inputsOf, type ResourceIndex } from "./resource-index";

export const nodePoolType = "kubernetes:karpenter.sh/v1:NodePool";

/**
 * The facts of a NodePool, with those of its node class. What a node of one type has is absent where the provisioner chooses
 * from several. Undefined without a node class of the program.
 */
export function gpuPoolOf(index: ResourceIndex, name: string, max: number | undefined): NodeGroupFacts | undefined {
  const pool = index.ofType(nodePoolType).find((one) => one.name === name);
  const [nodeClass] = pool ? index.sourcesOf(pool, "spec", ...nodeClasses, autoModeClass) : [];
  if (!pool || !nodeClass) return undefined;
  const inputs = new Resource(asAnalyzed(pool));
  const instanceTypes = machineTypes(inputs, index.stack).flatMap(({ value }) => value ?? []);
  const taints = inputs.list("spec.template.spec.taints").value ?? [];
  const [settings, requirements] = [inputsOf(nodeClass).at("spec"), inputs.list("spec.template.spec.requirements")];
  const ids = (settings.list("subnetSelectorTerms").value ?? []).flatMap((term) => term.text("id").value ?? []);
  const subnets = subnetsOf(index, nodeClass, "spec", ids);
  const zones = namedBy(requirements, "topology.kubernetes.io/zone").named.flatMap((one) => one.strings("values"));
  return {
    ...{ urn: pool.urn, name, logicalName: name, instanceTypes, subnets, picksSubnet: false },
    ...ofMachine(instanceTypes, requirements),
    zones: zones.length > 0 ? zones : zonesOf(subnets),
    size: optionalProperty("max", max),
    ...(nodeClass.type === autoModeClass ? ofAutoMode(settings) : ofKarpenter(settings)),
    taints: taints.map(taintText),
    owner: "pods",
  };
}

type Machine = Pick<NodeGroupFacts, "gpu" | "vcpusPerNode" | "quotaCode" | "capacityType">;

function ofMachine(types: readonly string[], requirements: Parameters<typeof allowsMarket>[0]): Machine {
  const row = types.length === 1 ? instanceType(types[0] ?? "") : undefined;
  const markets = ["on-demand", "spot"].filter((market) => allowsMarket(requirements, market) === true).join(" or ");
  const quota = { "on-demand": row?.quotaCodes.onDemand, spot: row?.quotaCodes.spot }[markets];
  return {
    gpu: gpuOf(row, undefined) ?? {},
    ...optionalProperty("vcpusPerNode", row?.vcpus),
    ...optionalProperty("quotaCode", quota),
    capacityType: markets.replace("on-demand", "ON_DEMAND") || "unknown market",
  };
}

function ofAutoMode(settings: Reader): Pick<NodeGroupFacts, "disk" | "ami"> {
  const size = gibOf(settings.text("ephemeralStorage.size").or(`${autoModeDiskGiB}Gi`)).value;
  return { disk: { ...optionalProperty("sizeGiB", size), encrypted: true }, ami: "chosen by EKS Auto Mode" };
}

function ofKarpenter(settings: Reader): Pick<NodeGroupFacts, "disk" | "ami"> {
  const [root] = settings.list("blockDeviceMappings").value ?? [];
  const terms = settings.list("amiSelectorTerms").value ?? [];
  const disk = root && {
    ...optionalProperty("sizeGiB", gibOf(root.text("ebs.volumeSize")).value),
    ...optionalProperty("type", root.text("ebs.volumeType").value),
    ...optionalProperty("encrypted", root.boolean("ebs.encrypted").value),
  };
  const amis = terms.flatMap((term) => term.text("alias").value ?? term.text("id").value ?? []);
  return { ...optionalProperty("disk", disk), ami: amis.join(" or ") || "chosen by the node class" };
}
