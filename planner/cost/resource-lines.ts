import type { Reader } from "../../components/core/reader/reader";
import { ownValue } from "../../components/core/reader/records";
import { unknownCost, unknownUsage, type CostLine, type UsageLine } from "../../components/cost/cost-line";
import {
  alarms,
  controlPlane,
  interfaceEndpointData,
  interfaceEndpoints,
  kmsKeys,
  loadBalancers,
  logIngest,
  natGatewayData,
  natGateways,
  publicIpv4Addresses,
  volumes,
} from "../../components/cost/cost-lines";
import { costNotes } from "../../components/cost/cost-notes";
import { clusterTypes, inputsOf } from "../facts/resource-index";
import type { RecordedResource } from "../record/record";
import { unpricedKind } from "./free-types";
import { createsNodes, scheduledLines } from "./node-pools";
import type { PricingContext } from "./pricing-context";
import { extraVolume } from "../../components/cost/volumes";

/** A resource, and what its price depends on. */
interface Priced {
  readonly resource: RecordedResource;
  readonly name: string;
  readonly inputs: Reader;
  readonly region: string;
  readonly context: PricingContext;
}

const metricAlarm = "aws:cloudwatch/metricAlarm:MetricAlarm";

/** Types of aws-native, whose inputs have the names of these types as far as the price depends on them. */
const sameInputs: Readonly<Record<string, string>> = {
  "aws-native:cloudwatch:Alarm": metricAlarm,
  "aws-native:ec2:Eip": "aws:ec2/eip:Eip",
  "aws-native:ec2:NatGateway": "aws:ec2/natGateway:NatGateway",
  "aws-native:ec2:VpcEndpoint": "aws:ec2/vpcEndpoint:VpcEndpoint",
  "aws-native:eks:Cluster": "aws:eks/cluster:Cluster",
  "aws-native:kms:Key": "aws:kms/key:Key",
  "aws-native:kms:ReplicaKey": "aws:kms/replicaKey:ReplicaKey",
  "aws-native:logs:LogGroup": "aws:cloudwatch/logGroup:LogGroup",
};

const pricedType = ({ type }: RecordedResource) => ownValue(sameInputs, type) ?? type;

/** By resource type: everything that is billed by the hour, except the nodes of groups. */
const lineReaders: Readonly<Record<string, (priced: Priced) => readonly CostLine[]>> = {
  "aws:eks/cluster:Cluster": clusterLines,
  "eks:index:Cluster": clusterLines,
  "aws:ec2/natGateway:NatGateway": natGatewayLines,
  "aws:ec2/eip:Eip": ({ region }) => publicIpv4Addresses(region, 1),
  "aws:ec2/vpcEndpoint:VpcEndpoint": endpointLines,
  "aws:ebs/volume:Volume": ({ inputs, region }) =>
    volumes(region, extraVolume(inputs, { size: "size", type: "type" }), 1),
  "aws-native:ec2:Volume": ({ inputs, region }) =>
    volumes(region, extraVolume(inputs, { size: "size", type: "volumeType" }), 1),
  "aws:kms/key:Key": ({ region }) => kmsKeys(region, 1),
  "aws:kms/externalKey:ExternalKey": ({ region }) => kmsKeys(region, 1),
  "aws:kms/replicaKey:ReplicaKey": ({ region }) => kmsKeys(region, 1),
  [metricAlarm]: alarmLines,
  "aws:ssm/parameter:Parameter": ({ name, inputs }) =>
    inputs.text("tier").value === "Advanced" ? [notPriced("advanced parameter", name)] : [],
  "aws:lb/loadBalancer:LoadBalancer": loadBalancerLines,
  "aws:alb/loadBalancer:LoadBalancer": loadBalancerLines,
  "aws:elb/loadBalancer:LoadBalancer": loadBalancerLines,
  "kubernetes:core/v1:Service": ({ name, inputs }) =>
    inputs.text("spec.type").value === "LoadBalancer" ? [notPriced("load balancer of the Service", name)] : [],
  "kubernetes:core/v1:PersistentVolumeClaim": ({ name }) => [notPriced("volume of the PersistentVolumeClaim", name)],
};

/** Components of @pulumi/eks whose resources, created by its provider, are free. */
const freeComponents = /^eks:index:(Addon|ClusterCreationRoleProvider|NodeGroupSecurityGroup|VpcCniAddon)$/;

/** Custom resources whose controllers create resources of AWS: ACK, Crossplane, Cluster API. */
const controllers =
  /^kubernetes:((?!iam\.)\w+\.(services\.k8s\.aws|aws(\.m)?\.upbound\.io)|(infrastructure|controlplane)\.cluster\.x-k8s\.io)\//;

/**
 * The hourly cost of a resource, without the nodes of groups. A resource that may cost and has no known price is a
 * line, too.
 */
export function resourceLines(resource: RecordedResource, context: PricingContext): readonly CostLine[] {
  const { type, name } = resource;
  const region = context.regionOf(resource);
  const priced = { resource, name, inputs: inputsOf(resource), region, context };
  const read = ownValue(lineReaders, pricedType(resource));
  if (read) return read(priced);
  if (createsNodes(type) || freeComponents.test(type)) return [];
  if (resource.unseen !== undefined || controllers.test(type)) {
    const why = resource.remote ? costNotes.remoteComponent : costNotes.unseen;
    return [unknownCost(`${type} ${name}`, "hour", 1, why)];
  }
  return resource.custom && unpricedKind(type).kind === "unknown" ? [notPriced(type, name)] : [];
}

/** The usage-based charges of a resource. */
export function usageLines(resource: RecordedResource, context: PricingContext): readonly UsageLine[] {
  const type = pricedType(resource);
  const inputs = inputsOf(resource);
  const region = context.regionOf(resource);
  if (type === "aws:ec2/natGateway:NatGateway") return [natGatewayData(region)];
  if (type === "aws:cloudwatch/logGroup:LogGroup") return [logIngest(region)];
  if (type === "aws:ec2/vpcEndpoint:VpcEndpoint") return isInterface(inputs) ? [interfaceEndpointData(region)] : [];
  if ((clusterTypes as readonly string[]).includes(type)) return clusterUsage(inputs, region);
  if (type === "aws:autoscaling/schedule:Schedule") return scheduledLines(resource, context);
  if (type === metricAlarm) return [];
  const unpriced = unpricedKind(type);
  if (unpriced.kind !== "usage") return [];
  const { service, freeTier } = unpriced;
  return [unknownUsage(service, "use", freeTier === undefined ? costNotes.noPrice : costNotes.freeTier(freeTier))];
}

function clusterLines({ name, inputs, region, context }: Priced): CostLine[] {
  const supportType = inputs.text("upgradePolicy.supportType").value === "STANDARD" ? "STANDARD" : "EXTENDED";
  const tier = inputs.text("controlPlaneScalingConfig.tier").value ?? "standard";
  const autoMode = ["autoMode", "computeConfig"].some((path) => inputs.boolean(`${path}.enabled`).value === true);
  // Its built-in NodePools start nodes that the plan does not contain.
  const pools = ["autoMode.computeConfig.nodePools", "computeConfig.nodePools"].map((path) => inputs.list(path).value);
  const hasPools = !pools.some((names) => names?.length === 0);
  const kubernetesVersion = inputs.text("version").value;
  return [
    ...controlPlane({ region, kubernetesVersion, supportType, now: context.now }),
    ...(tier === "standard" ? [] : [notPriced(`control plane tier ${tier}`, name)]),
    ...(autoMode && hasPools ? [notPriced("EKS Auto Mode nodes", name)] : []),
  ];
}

/** A cluster with control plane logs writes to a log group, even when the program creates none. */
function clusterUsage(inputs: Reader, region: string): UsageLine[] {
  const logTypes = inputs.list("enabledClusterLogTypes").value ?? [];
  const fargate = inputs.boolean("fargate").value === true || (inputs.entries("fargate").value ?? []).length > 0;
  return [
    ...(logTypes.length > 0 ? [logIngest(region)] : []),
    ...(fargate ? [unknownUsage("Fargate", "use", costNotes.noPrice)] : []),
  ];
}

/** A regional NAT gateway is billed for each zone that it covers, which AWS decides. */
function natGatewayLines({ inputs, region }: Priced): CostLine[] {
  return natGateways(region, inputs.text("availabilityMode").value === "regional" ? undefined : 1);
}

function endpointLines({ name, inputs, region }: Priced): CostLine[] {
  const type = inputs.text("vpcEndpointType").or("Gateway").value;
  if (type === "Gateway") return [];
  if (isInterface(inputs)) return interfaceEndpoints(region, inputs.list("subnetIds").value?.length);
  return [notPriced(`${type ?? "unknown kind of"} endpoint`, name)];
}

function isInterface(inputs: Reader): boolean {
  return inputs.text("vpcEndpointType").value === "Interface";
}

/** An alarm on a metric each minute or less often. Others have other prices. */
function alarmLines({ name, inputs, region }: Priced): CostLine[] {
  const isPlain = ["metricQueries", "metrics"].every((key) => inputs.list(key).or([]).value?.length === 0);
  const seconds = inputs.integer("period").or(60).value;
  if (isPlain && seconds !== undefined && seconds >= 60) return alarms(region, 1);
  return [notPriced("CloudWatch alarm", name)];
}

/** A load balancer and its public addresses. Classic ones have no type. */
function loadBalancerLines({ resource, name, inputs, region }: Priced): CostLine[] {
  const isClassic = resource.type.startsWith("aws:elb/");
  const type = isClassic ? "classic" : inputs.text("loadBalancerType").or("application").value;
  const isPublic = inputs.boolean("internal").value !== true && type !== "gateway";
  const zones = inputs.list("subnets");
  const mappings = zones.isAbsent === true ? inputs.list("subnetMappings") : zones;
  const hasElasticIp = (zone: Reader) => zone.entries().value?.some(([key]) => key === "allocationId") ?? false;
  const addresses = mappings.value?.filter((zone) => !hasElasticIp(zone)).length;
  const hours = type === undefined ? [notPriced("load balancer", name)] : loadBalancers(region, type, 1);
  return [...hours, ...publicIpv4Addresses(region, isPublic ? addresses : 0)];
}

function notPriced(what: string, name: string): CostLine {
  return unknownCost(`${what} ${name}`, "hour", 1, costNotes.noPrice);
}
