import { unknownCost, unknownUsage, type CostLine, type UsageLine } from "../../components/cost/cost-line";
import {
  controlPlane,
  instances,
  interfaceEndpointData,
  interfaceEndpoints,
  kmsKeys,
  logIngest,
  natGatewayData,
  natGateways,
  publicIpv4Addresses,
  volumes,
} from "../../components/cost/cost-lines";
import type { RecordedResource } from "../record/record";
import type { Properties } from "../../components/core/wire";
import { extraVolume, rootVolume } from "./disks";
import { unpricedKind } from "./free-types";
import { makesNodes } from "./pool-readers";
import { count, countOr, list, object, text, type Reading } from "./reading";

const clusterTypes = ["aws:eks/cluster:Cluster", "eks:index:Cluster"];

type LineReader = (resource: RecordedResource, region: string, reading: Reading) => readonly CostLine[];

/** By resource type: everything that costs by the hour, but for the nodes that groups make. */
const lineReaders: Readonly<Record<string, LineReader>> = {
  "aws:eks/cluster:Cluster": clusterLines,
  "eks:index:Cluster": clusterLines,
  "aws:ec2/natGateway:NatGateway": natGatewayLines,
  "aws:ec2/eip:Eip": (_, region) => publicIpv4Addresses(region, 1),
  "aws:ec2/vpcEndpoint:VpcEndpoint": endpointLines,
  "aws:ec2/instance:Instance": instanceLines,
  "aws:ec2/capacityReservation:CapacityReservation": reservationLines,
  "aws:ebs/volume:Volume": ({ inputs }, region) => volumes(region, extraVolume(inputs, "size"), 1),
  "aws:kms/key:Key": (_, region) => kmsKeys(region, 1),
  "aws:kms/externalKey:ExternalKey": (_, region) => kmsKeys(region, 1),
  "aws:kms/replicaKey:ReplicaKey": (_, region) => kmsKeys(region, 1),
  "aws:lb/loadBalancer:LoadBalancer": loadBalancerLines,
  "aws:alb/loadBalancer:LoadBalancer": loadBalancerLines,
  "aws:elb/loadBalancer:LoadBalancer": loadBalancerLines,
  "kubernetes:core/v1:Service": ({ name, inputs }) =>
    text(object(inputs["spec"])["type"]) === "LoadBalancer" ? [notPriced("load balancer of the Service", name)] : [],
  "kubernetes:core/v1:PersistentVolumeClaim": ({ name }) => [notPriced("volume of the PersistentVolumeClaim", name)],
};

/** Components of @pulumi/eks whose parts, made by its provider, cost nothing by themselves. */
const freeComponents = /^eks:index:(Addon|ClusterCreationRoleProvider|NodeGroupSecurityGroup|VpcCniAddon)$/;

/**
 * What a resource costs by the hour, nodes of groups aside. One that may cost and has no known price is a line, too.
 */
export function resourceLines(resource: RecordedResource, reading: Reading): readonly CostLine[] {
  const { type, name } = resource;
  if (Object.hasOwn(lineReaders, type)) return lineReaders[type]?.(resource, reading.regionOf(resource), reading) ?? [];
  if (makesNodes(type) || freeComponents.test(type)) return [];
  if (resource.remote) return [unknownCost(`${type} ${name}`, "hour", 1, "its provider makes its parts")];
  return resource.custom && unpricedKind(type).kind === "unknown" ? [notPriced(type, name)] : [];
}

/** What a resource costs by use. */
export function usageLines(resource: RecordedResource, reading: Reading): readonly UsageLine[] {
  const { type, inputs } = resource;
  const region = reading.regionOf(resource);
  if (type === "aws:ec2/natGateway:NatGateway") return [natGatewayData(region)];
  if (type === "aws:cloudwatch/logGroup:LogGroup") return [logIngest(region)];
  if (type === "aws:ec2/vpcEndpoint:VpcEndpoint") return isInterface(inputs) ? [interfaceEndpointData(region)] : [];
  if (clusterTypes.includes(type)) return clusterUsage(inputs, region);
  const unpriced = unpricedKind(type);
  return unpriced.kind === "usage" ? [unknownUsage(unpriced.service, "use", "no price known for it")] : [];
}

function clusterLines({ name, inputs }: RecordedResource, region: string, { now }: Reading): CostLine[] {
  const supportType = text(object(inputs["upgradePolicy"])["supportType"]) === "STANDARD" ? "STANDARD" : "EXTENDED";
  const tier = text(object(inputs["controlPlaneScalingConfig"])["tier"]) ?? "standard";
  const autoMode = object(inputs["autoMode"] ?? inputs["computeConfig"])["enabled"] === true;
  return [
    ...controlPlane({ region, kubernetesVersion: text(inputs["version"]), supportType, now }),
    ...(tier === "standard" ? [] : [notPriced(`control plane tier ${tier}`, name)]),
    ...(autoMode ? [notPriced("EKS Auto Mode nodes", name)] : []),
  ];
}

/** A cluster that logs has a log group, also where the program makes none. */
function clusterUsage(inputs: Properties, region: string): UsageLine[] {
  const logs = list(inputs["enabledClusterLogTypes"]) ?? [];
  const fargate = inputs["fargate"] === true || Object.keys(object(inputs["fargate"])).length > 0;
  return [
    ...(logs.length > 0 ? [logIngest(region)] : []),
    ...(fargate ? [unknownUsage("Fargate", "use", "no price known for it")] : []),
  ];
}

/** A regional NAT gateway is paid for each zone that it covers, which AWS decides. */
function natGatewayLines({ inputs }: RecordedResource, region: string): CostLine[] {
  return natGateways(region, text(inputs["availabilityMode"]) === "regional" ? undefined : 1);
}

function endpointLines({ name, inputs }: RecordedResource, region: string): CostLine[] {
  const { vpcEndpointType: type = "Gateway" } = inputs;
  if (type === "Gateway") return [];
  if (isInterface(inputs)) return interfaceEndpoints(region, list(inputs["subnetIds"])?.length);
  return [notPriced(`${text(type) ?? "unknown kind of"} endpoint`, name)];
}

function isInterface(inputs: Properties): boolean {
  return inputs["vpcEndpointType"] === "Interface";
}

function instanceLines(instance: RecordedResource, region: string, reading: Reading): CostLine[] {
  const { name, inputs } = instance;
  const type = text(inputs["instanceType"]);
  const spot = object(inputs["instanceMarketOptions"])["marketType"] === "spot";
  const root = object(inputs["rootBlockDevice"]);
  const extra = (list(inputs["ebsBlockDevices"]) ?? []).map((device) => extraVolume(object(device), "volumeSize"));
  const inPublicSubnet = reading
    .referred(instance, "subnetId", "aws:ec2/subnet:Subnet")
    .some((subnet) => subnet.inputs["mapPublicIpOnLaunch"] === true);
  return [
    ...(type === undefined
      ? [unknownCost(`instance ${name}`, "instance-hour", 1, "the plan does not hold its type")]
      : instances(region, type, 1, spot ? "SPOT" : "ON_DEMAND")),
    ...[rootVolume(countOr(root["volumeSize"], undefined), root), ...extra].flatMap((v) => volumes(region, v, 1)),
    ...publicIpv4Addresses(region, (inputs["associatePublicIpAddress"] ?? inPublicSubnet) === true ? 1 : 0),
  ];
}

function reservationLines({ name, inputs }: RecordedResource, region: string): CostLine[] {
  const type = text(inputs["instanceType"]);
  if (type === undefined) return [notPriced("capacity reservation", name)];
  return instances(region, type, count(inputs["instanceCount"]), "ON_DEMAND", "reserved: paid whether used or not");
}

/** The price of a load balancer is not in the table; that of its public addresses is. */
function loadBalancerLines({ name, inputs }: RecordedResource, region: string): CostLine[] {
  const isPublic = inputs["internal"] !== true && inputs["loadBalancerType"] !== "gateway";
  const own = list(inputs["subnets"] ?? inputs["subnetMappings"])?.filter((zone) => !object(zone)["allocationId"]);
  return [notPriced("load balancer", name), ...publicIpv4Addresses(region, isPublic ? own?.length : 0)];
}

function notPriced(what: string, name: string): CostLine {
  return unknownCost(`${what} ${name}`, "hour", 1, "no price known for it");
}
