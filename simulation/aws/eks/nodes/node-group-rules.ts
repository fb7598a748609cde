import { minorOf } from "../../../../components/cluster/kubernetes-versions";
import { valuesAt } from "../../../../components/core/reader/paths";
import type { Properties } from "../../../../components/core/wire";
import { parseAmiRelease } from "../../../../components/nodes/machine/ami-releases";
import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { CloudError } from "../../../cloud/errors";
import { type CloudObject, propertyOf, type Request, type CloudState } from "../../../cloud/model";
import { types } from "../../types";
import { stringOf } from "../../values";
import { clusterNamed, invalidParameter, zonesOf } from "../common";

/** The sizes of a node group. */
export interface ScalingConfig {
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredSize: number;
}

export function scalingConfigOf(inputs: Properties): ScalingConfig {
  const size = (key: string) => Number(valuesAt(inputs, `scalingConfig.${key}`)[0]);
  return { minSize: size("minSize"), maxSize: size("maxSize"), desiredSize: size("desiredSize") };
}

/** Whether the creation of a group failed. */
export function hasFailed({ computed }: CloudObject): boolean {
  return computed["status"] === "CREATE_FAILED";
}

/**
 * The error of EKS for an update of a group whose creation failed.
 * @see https://github.com/aws/containers-roadmap/issues/2204
 */
export function rejectFailed(group: CloudObject): CloudError | undefined {
  if (!hasFailed(group)) return undefined;
  return new CloudError("ResourceInUseException", "Nodegroup cannot be updated as it is currently not in Active State");
}

/** The error of EKS when it rejects a node group. */
export function rejectNodeGroup(request: Request): CloudError | undefined {
  const template = templateOf(request.cloud, request.inputs);
  return (
    rejectSizes(scalingConfigOf(request.inputs)) ??
    rejectTemplateConflicts(request.inputs, template?.inputs) ??
    rejectVersion(request, template?.inputs) ??
    rejectInstanceTypes(request.inputs, template?.inputs) ??
    rejectReservation(request, template?.inputs) ??
    rejectRepairConfig(request.inputs)
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html */
export function rejectSizes({ minSize, maxSize, desiredSize }: ScalingConfig): CloudError | undefined {
  if (!(maxSize >= 1)) return invalidParameter("maxSize must be greater than or equal to 1");
  if (!(minSize >= 0)) return invalidParameter("minSize must be greater than or equal to 0");
  if (minSize > desiredSize) {
    return invalidParameter(`Minimum capacity ${minSize} can't be greater than desired size ${desiredSize}`);
  }
  if (desiredSize <= maxSize) return undefined;
  return invalidParameter(`desired capacity ${desiredSize} can't be greater than max size ${maxSize}`);
}

/** The launch template of a node group, if it has one. */
export function templateOf(cloud: CloudState, inputs: Properties): CloudObject | undefined {
  const id = valuesAt(inputs, "launchTemplate.id")[0];
  if (id !== undefined) return cloud.get(types.launchTemplate, stringOf(id));
  const name = valuesAt(inputs, "launchTemplate.name")[0];
  return name === undefined ? undefined : cloud.find(types.launchTemplate, { name })[0];
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html */
function rejectTemplateConflicts(inputs: Properties, template: Properties | undefined): CloudError | undefined {
  if (!template) {
    if (inputs["amiType"] !== "CUSTOM") return undefined;
    return invalidParameter("Launch template details can't be null for Custom ami type node group");
  }
  if (inputs["diskSize"] !== undefined)
    return invalidParameter("Disk size must be specified within the launch template.");
  if (inputs["remoteAccess"] !== undefined) {
    return invalidParameter("Remote access configuration cannot be specified with a launch template.");
  }
  if (template["instanceType"] !== undefined && valuesAt(inputs, "instanceTypes[*]").length > 0) {
    return invalidParameter("Cannot specify instance types in launch template and API request");
  }
  if (
    valuesAt(template, "networkInterfaces[*]").length > 0 &&
    valuesAt(template, "vpcSecurityGroupIds[*]").length > 0
  ) {
    return invalidParameter(
      "Network interfaces and an instance-level security groups may not be specified on the same request",
    );
  }
  if (valuesAt(template, "networkInterfaces[*].subnetId").length === 0) return undefined;
  return invalidParameter(
    "You must not specify a subnet in your launch template. All subnets must be specified in the API.",
  );
}

/** With a custom AMI, the launch template alone determines the version. */
function rejectCustomAmi({ version, releaseVersion, amiType }: Properties): CloudError | undefined {
  const field = version !== undefined ? "kubernetesVersion" : releaseVersion !== undefined ? "releaseVersion" : "";
  if (field !== "") return invalidParameter(`You cannot specify the field ${field} when using custom AMIs`);
  if (amiType === undefined || amiType === "CUSTOM") return undefined;
  return invalidParameter(
    "You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template.",
  );
}

function rejectVersion({ cloud, inputs }: Request, template: Properties | undefined): CloudError | undefined {
  if (template?.["imageId"] !== undefined) return rejectCustomAmi(inputs);
  const { version, releaseVersion } = inputs;
  const cluster = clusterNamed(cloud, inputs["clusterName"]);
  const newest = cluster && propertyOf(cluster, "version");
  if (minorOf(stringOf(version)) > minorOf(stringOf(newest))) {
    const message = `Nodegroup Kubernetes version ${stringOf(version)} cannot be newer than cluster version ${stringOf(newest)}`;
    return invalidParameter(message);
  }
  const minor = stringOf(version ?? newest);
  const release = parseAmiRelease(stringOf(releaseVersion));
  if (releaseVersion === undefined || release?.kubernetesVersion === minor) return undefined;
  return invalidParameter(
    `Requested release version ${stringOf(releaseVersion)} is not valid for kubernetes version ${minor}.`,
  );
}

/** The instance types of a node group. */
export function instanceTypesOf(inputs: Properties, template: Properties | undefined): string[] {
  const given = valuesAt(inputs, "instanceTypes[*]").map(stringOf);
  if (given.length > 0) return given;
  return [template?.["instanceType"] === undefined ? "t3.medium" : stringOf(template["instanceType"])];
}

/** An instance type without a catalog entry is accepted. */
function rejectInstanceTypes(inputs: Properties, template: Properties | undefined): CloudError | undefined {
  const amiType = inputs["amiType"];
  const arm = stringOf(amiType).includes("ARM_64");
  if (typeof amiType !== "string" || amiType === "CUSTOM") return undefined;
  const unfit = instanceTypesOf(inputs, template).filter((name) => {
    const architecture = instanceType(name)?.architecture;
    return architecture !== undefined && (architecture === "arm64") !== arm;
  });
  if (unfit.length === 0) return undefined;
  return invalidParameter(`[${unfit.join(", ")}] is not a valid instance type for requested amiType ${amiType}`);
}

/** A capacity reservation is in one zone. The message is not AWS's. @see https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html */
function rejectReservation({ cloud, inputs }: Request, template: Properties | undefined): CloudError | undefined {
  const target = "capacityReservationSpecification.capacityReservationTarget";
  const targets = ["capacityReservationId", "capacityReservationResourceGroupArn"];
  const reserved = targets.some((key) => valuesAt(template ?? {}, `${target}.${key}`).length > 0);
  if (!reserved && inputs["capacityType"] !== "CAPACITY_BLOCK") return undefined;
  const zones = zonesOf(cloud, inputs, "subnetIds[*]");
  if (zones.length <= 1) return undefined;
  return invalidParameter(
    `A capacity reservation is in one Availability Zone, and the subnets are in ${zones.join(", ")}`,
  );
}

/** The provider accepts any wait of at least a minute; EKS does not. The message is not AWS's. */
function rejectRepairConfig(inputs: Properties): CloudError | undefined {
  const waits = valuesAt(inputs, "nodeRepairConfig.nodeRepairConfigOverrides[*].minRepairWaitTimeMins").map(Number);
  if (waits.every((wait) => wait >= 10 && wait <= 120 && wait % 10 === 0)) return undefined;
  return invalidParameter("minRepairWaitTimeMins must be between 10 and 120 and a multiple of 10");
}
