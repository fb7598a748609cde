import { Netmask } from "netmask";
import { minorOf } from "../../../components/cluster/kubernetes-versions";
import { parseCidr } from "../../../components/core/cidr-form";
import { eksCalendar } from "../../../components/core/eks-calendar";
import { valuesAt } from "../../../components/core/reader/paths";
import type { CloudError } from "../../cloud/errors";
import { type ObjectRequest, propertyOf, type Request } from "../../cloud/model";
import { hasPolicy } from "../iam/roles";
import { stringOf } from "../values";
import { invalidParameter, zonesOf } from "./common";

/** The Kubernetes versions that EKS supports, oldest first. */
export const kubernetesVersions: readonly string[] = Object.keys(eksCalendar);

/** The error of EKS when it rejects the creation of a cluster. */
export function rejectCluster({ cloud, inputs }: Request): CloudError | undefined {
  return (
    rejectVersion(inputs["version"]) ??
    rejectZones({ cloud, inputs }) ??
    rejectEndpoint(inputs) ??
    rejectAutoMode(inputs) ??
    rejectRole({ cloud, inputs })
  );
}

/** The error of EKS when it rejects the update of a cluster. */
export function rejectClusterUpdate({ cloud, inputs, object }: ObjectRequest): CloudError | undefined {
  return (
    rejectVersion(inputs["version"]) ??
    rejectVersionStep(propertyOf(object, "version"), inputs["version"]) ??
    rejectModeChange(object.inputs, inputs) ??
    rejectZones({ cloud, inputs }) ??
    rejectOtherZones({ cloud, inputs, object }) ??
    rejectEndpoint(inputs) ??
    rejectAutoMode(inputs)
  );
}

function rejectVersion(version: unknown): CloudError | undefined {
  if (version === undefined || kubernetesVersions.includes(stringOf(version))) return undefined;
  return invalidParameter(`unsupported Kubernetes version ${stringOf(version)}`);
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html */
function rejectVersionStep(from: unknown, to: unknown): CloudError | undefined {
  if (to === undefined || to === from || minorOf(stringOf(to)) === minorOf(stringOf(from)) + 1) return undefined;
  return invalidParameter(`Unsupported Kubernetes minor version update from ${stringOf(from)} to ${stringOf(to)}`);
}

const modes: readonly unknown[] = ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"];

/** The authentication mode can only move towards `API`. @see https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html */
function rejectModeChange(olds: Request["inputs"], news: Request["inputs"]): CloudError | undefined {
  const from = authenticationMode(olds);
  const to = authenticationMode(news);
  if (modes.indexOf(to) >= modes.indexOf(from)) return undefined;
  return invalidParameter(`Unsupported authentication mode update from ${from} to ${to}`);
}

/** Whether a cluster authenticates with access entries, the aws-auth ConfigMap, or both. */
export function authenticationMode(inputs: Request["inputs"]): string {
  return stringOf(valuesAt(inputs, "accessConfig.authenticationMode")[0] ?? "CONFIG_MAP");
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html */
function rejectZones({ cloud, inputs }: Pick<Request, "cloud" | "inputs">): CloudError | undefined {
  const zones = zonesOf(cloud, inputs, "vpcConfig.subnetIds[*]");
  return zones.length >= 2 ? undefined : invalidParameter("Subnets specified must be in at least two different AZs");
}

/**
 * Subnets of an existing cluster must be in the zones in which it was created, at least one in each.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
 */
function rejectOtherZones({ cloud, inputs, object }: Omit<ObjectRequest, "provider">): CloudError | undefined {
  const [wanted, created] = [inputs, object.inputs].map((of) => zonesOf(cloud, of, "vpcConfig.subnetIds[*]").sort());
  // A subnet that was deleted meanwhile has no zone.
  if (!wanted || !created || created.length < 2 || wanted.join() === created.join()) return undefined;
  return invalidParameter(
    `Subnets must be in the set of AZs of the cluster's creation: got ${wanted.join(", ")}, expected ${created.join(", ")}`,
  );
}

function rejectEndpoint(inputs: Request["inputs"]): CloudError | undefined {
  const isPublic = valuesAt(inputs, "vpcConfig.endpointPublicAccess")[0] !== false;
  const isPrivate = valuesAt(inputs, "vpcConfig.endpointPrivateAccess")[0] === true;
  if (!isPublic && !isPrivate) return invalidParameter("Private and public endpoint access cannot be false");
  const given = valuesAt(inputs, "vpcConfig.publicAccessCidrs[*]");
  const malformed = given.filter((cidr) => !parseCidr(cidr));
  if (malformed.length > 0) {
    return invalidParameter(`The following CIDRs are invalid in publicAccessCidrs: [${malformed.join(", ")}]`);
  }
  const notAllowed = given.filter(isReserved);
  if (notAllowed.length === 0) return undefined;
  return invalidParameter(`The following CIDRs are not allowed in publicAccessCidrs: [${notAllowed.join(", ")}]`);
}

/**
 * The parts of EKS Auto Mode are enabled together, and its node role goes with its built-in NodePools.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auto-enable-existing.html
 * @see https://github.com/aws/aws-cdk/pull/33894
 */
function rejectAutoMode(inputs: Request["inputs"]): CloudError | undefined {
  const parts = ["computeConfig", "kubernetesNetworkConfig.elasticLoadBalancing", "storageConfig.blockStorage"];
  const enabled = new Set(parts.map((part) => valuesAt(inputs, `${part}.enabled`)[0] === true));
  if (enabled.size > 1) {
    return invalidParameter(
      "For EKS Auto Mode, please ensure that all required configs, including computeConfig, kubernetesNetworkConfig, and " +
        "blockStorage are all either fully enabled or fully disabled.",
    );
  }
  const pools = valuesAt(inputs, "computeConfig.nodePools[*]");
  const [role] = valuesAt(inputs, "computeConfig.nodeRoleArn");
  if ((role === undefined) === (pools.length === 0)) return undefined;
  const message = role === undefined ? "is null or empty, nodePool list cannot be populated." : roleAlone;
  return invalidParameter(`When Compute Config nodeRoleArn ${message}`);
}

const roleAlone = "is not null or empty, nodePool value(s) must be provided.";

/**
 * Reserved addresses, including those for documentation.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
 */
const reserved = [
  ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
  ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15", "224.0.0.0/3"],
]
  .flat()
  .map((block) => new Netmask(block));

function isReserved(cidr: unknown): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && reserved.some((range) => range.contains(block));
}

/** terraform-provider-aws retries on this message: the role's policies may not have propagated yet. */
function rejectRole({ cloud, inputs }: Pick<Request, "cloud" | "inputs">): CloudError | undefined {
  if (hasPolicy(cloud, inputs["roleArn"], "AmazonEKSClusterPolicy", "or-inline")) return undefined;
  const policy = `arn:${cloud.account.partition}:iam::aws:policy/AmazonEKSClusterPolicy`;
  return invalidParameter(
    "The provided role doesn't have the Amazon EKS Managed Policies associated with it. " +
      `Please ensure the following policy is attached: ${policy}`,
  );
}
