import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { parseAmiRelease } from "../../../../components/nodes/machine/ami-releases";
import type { Properties } from "../../../../components/core/wire";
import type { CloudError } from "../../../world/cloud-error";
import type { Asked, WorldObject } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import { propertyOf, type World } from "../../../world/world";
import { types } from "../../types";
import { shown } from "../../values";
import { minorOf } from "../cluster/cluster-rules";
import { invalid } from "../errors";
import { zonesOf } from "../subnets";
import { clusterNamed } from "../types";

/** The numbers of nodes of a group. */
export interface Sizes {
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredSize: number;
}

export function sizesOf(inputs: Properties): Sizes {
  const size = (key: string) => Number(valuesAt(inputs, `scalingConfig.${key}`)[0]);
  return { minSize: size("minSize"), maxSize: size("maxSize"), desiredSize: size("desiredSize") };
}

/** What EKS refuses when a group is to be made or changed. */
export function refuseNodeGroup(asked: Asked): CloudError | undefined {
  const template = templateOf(asked.world, asked.inputs);
  return (
    refuseSizes(sizesOf(asked.inputs)) ??
    refuseBesideTemplate(asked.inputs, template?.inputs) ??
    refuseVersion(asked, template?.inputs) ??
    refuseMachine(asked.inputs, template?.inputs) ??
    refuseReservation(asked, template?.inputs) ??
    refuseRepair(asked.inputs)
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html */
export function refuseSizes({ minSize, maxSize, desiredSize }: Sizes): CloudError | undefined {
  if (!(maxSize >= 1)) return invalid("maxSize must be greater than or equal to 1");
  if (!(minSize >= 0)) return invalid("minSize must be greater than or equal to 0");
  if (minSize > desiredSize) {
    return invalid(`Minimum capacity ${minSize} can't be greater than desired size ${desiredSize}`);
  }
  if (desiredSize <= maxSize) return undefined;
  return invalid(`desired capacity ${desiredSize} can't be greater than max size ${maxSize}`);
}

/** The launch template of a group; undefined where it has none or its template is gone. */
export function templateOf(world: World, inputs: Properties): WorldObject | undefined {
  const id = valuesAt(inputs, "launchTemplate.id")[0];
  if (id !== undefined) return world.get(types.launchTemplate, shown(id));
  const name = valuesAt(inputs, "launchTemplate.name")[0];
  return name === undefined ? undefined : world.find(types.launchTemplate, { name })[0];
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html */
function refuseBesideTemplate(inputs: Properties, template: Properties | undefined): CloudError | undefined {
  if (!template) {
    if (inputs["amiType"] !== "CUSTOM") return undefined;
    return invalid("Launch template details can't be null for Custom ami type node group");
  }
  if (inputs["diskSize"] !== undefined) return invalid("Disk size must be specified within the launch template.");
  if (inputs["remoteAccess"] !== undefined) {
    return invalid("Remote access configuration cannot be specified with a launch template.");
  }
  if (template["instanceType"] !== undefined && valuesAt(inputs, "instanceTypes[*]").length > 0) {
    return invalid("Cannot specify instance types in launch template and API request");
  }
  if (
    valuesAt(template, "networkInterfaces[*]").length > 0 &&
    valuesAt(template, "vpcSecurityGroupIds[*]").length > 0
  ) {
    return invalid("Network interfaces and an instance-level security groups may not be specified on the same request");
  }
  if (valuesAt(template, "networkInterfaces[*].subnetId").length === 0) return undefined;
  return invalid("You must not specify a subnet in your launch template. All subnets must be specified in the API.");
}

function refuseVersion({ world, inputs }: Asked, template: Properties | undefined): CloudError | undefined {
  const { version, releaseVersion, amiType } = inputs;
  if (template?.["imageId"] !== undefined) {
    const field = version !== undefined ? "kubernetesVersion" : releaseVersion !== undefined ? "releaseVersion" : "";
    if (field !== "") return invalid(`You cannot specify the field ${field} when using custom AMIs`);
    if (amiType === undefined || amiType === "CUSTOM") return undefined;
    return invalid(
      "You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template.",
    );
  }
  const cluster = clusterNamed(world, inputs["clusterName"]);
  const newest = cluster && propertyOf(cluster, "version");
  if (minorOf(version) > minorOf(newest)) {
    const words = `Nodegroup Kubernetes version ${shown(version)} cannot be newer than cluster version ${shown(newest)}`;
    return invalid(words);
  }
  const minor = shown(version ?? newest);
  const release = parseAmiRelease(shown(releaseVersion));
  if (releaseVersion === undefined || release?.kubernetesVersion === minor) return undefined;
  return invalid(`Requested release version ${shown(releaseVersion)} is not valid for kubernetes version ${minor}.`);
}

/** The instance types of a group's nodes. */
export function instanceTypesOf(inputs: Properties, template: Properties | undefined): string[] {
  const given = valuesAt(inputs, "instanceTypes[*]").map(shown);
  if (given.length > 0) return given;
  return [template?.["instanceType"] === undefined ? "t3.medium" : shown(template["instanceType"])];
}

/** Types that the catalogue does not have are taken for fitting. */
function refuseMachine(inputs: Properties, template: Properties | undefined): CloudError | undefined {
  const amiType = inputs["amiType"];
  const arm = shown(amiType).includes("ARM_64");
  if (typeof amiType !== "string" || amiType === "CUSTOM") return undefined;
  const unfit = instanceTypesOf(inputs, template).filter((name) => {
    const architecture = instanceType(name)?.architecture;
    return architecture !== undefined && (architecture === "arm64") !== arm;
  });
  if (unfit.length === 0) return undefined;
  return invalid(`[${unfit.join(", ")}] is not a valid instance type for requested amiType ${amiType}`);
}

/** A reservation is in one zone. The words are ours. @see https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html */
function refuseReservation({ world, inputs }: Asked, template: Properties | undefined): CloudError | undefined {
  const target = "capacityReservationSpecification.capacityReservationTarget";
  const targets = ["capacityReservationId", "capacityReservationResourceGroupArn"];
  const reserved = targets.some((key) => valuesAt(template ?? {}, `${target}.${key}`).length > 0);
  if (!reserved && inputs["capacityType"] !== "CAPACITY_BLOCK") return undefined;
  const zones = zonesOf(world, inputs, "subnetIds[*]");
  if (zones.length <= 1) return undefined;
  return invalid(`A capacity reservation is in one Availability Zone, and the subnets are in ${zones.join(", ")}`);
}

/** The provider takes any wait from a minute on. The words are ours. */
function refuseRepair(inputs: Properties): CloudError | undefined {
  const waits = valuesAt(inputs, "nodeRepairConfig.nodeRepairConfigOverrides[*].minRepairWaitTimeMins").map(Number);
  if (waits.every((wait) => wait >= 10 && wait <= 120 && wait % 10 === 0)) return undefined;
  return invalid("minRepairWaitTimeMins must be between 10 and 120 and a multiple of 10");
}
