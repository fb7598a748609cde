import { Netmask } from "netmask";
import { parseCidr } from "../../../../components/core/cidr-form";
import { eksCalendar } from "../../../../components/core/eks-calendar";
import type { CloudError } from "../../../world/cloud-error";
import type { Asked, AskedOf } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import { propertyOf } from "../../../world/world";
import { invalid } from "../errors";
import { hasPolicy } from "../role-policies";
import { zonesOf } from "../subnets";
import { shown } from "../../values";

/** The minors that EKS makes clusters of, oldest first. */
export const kubernetesVersions: readonly string[] = Object.keys(eksCalendar);

/** `1.35` is 35; NaN for what is no minor. */
export function minorOf(version: unknown): number {
  return Number(/^v?1\.(\d+)(\.|$)/.exec(shown(version))?.[1] ?? NaN);
}

/** What EKS refuses when a cluster is to be made. */
export function refuseCluster({ world, inputs }: Asked): CloudError | undefined {
  return (
    refuseVersion(inputs["version"]) ??
    refuseZones({ world, inputs }) ??
    refuseEndpoint(inputs) ??
    refuseRole({ world, inputs })
  );
}

/** What EKS refuses when a cluster is to be changed. */
export function refuseClusterUpdate({ world, inputs, object }: AskedOf): CloudError | undefined {
  return (
    refuseVersion(inputs["version"]) ??
    refuseStep(propertyOf(object, "version"), inputs["version"]) ??
    refuseModeChange(object.inputs, inputs) ??
    refuseZones({ world, inputs }) ??
    refuseEndpoint(inputs)
  );
}

function refuseVersion(version: unknown): CloudError | undefined {
  if (version === undefined || kubernetesVersions.includes(shown(version))) return undefined;
  return invalid(`unsupported Kubernetes version ${shown(version)}`);
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html */
function refuseStep(from: unknown, to: unknown): CloudError | undefined {
  if (to === undefined || to === from || minorOf(to) === minorOf(from) + 1) return undefined;
  return invalid(`Unsupported Kubernetes minor version update from ${shown(from)} to ${shown(to)}`);
}

const modes: readonly unknown[] = ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"];

/** @see https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html for the way there is no way back on */
function refuseModeChange(olds: Asked["inputs"], news: Asked["inputs"]): CloudError | undefined {
  const from = authenticationMode(olds);
  const to = authenticationMode(news);
  if (modes.indexOf(to) >= modes.indexOf(from)) return undefined;
  return invalid(`Unsupported authentication mode update from ${from} to ${to}`);
}

/** Who may come in: those of access entries, of the aws-auth ConfigMap, or both. */
export function authenticationMode(inputs: Asked["inputs"]): string {
  return shown(valuesAt(inputs, "accessConfig.authenticationMode")[0] ?? "CONFIG_MAP");
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html */
function refuseZones({ world, inputs }: Pick<Asked, "world" | "inputs">): CloudError | undefined {
  const zones = zonesOf(world, inputs, "vpcConfig.subnetIds[*]");
  return zones.length >= 2 ? undefined : invalid("Subnets specified must be in at least two different AZs");
}

function refuseEndpoint(inputs: Asked["inputs"]): CloudError | undefined {
  const isPublic = valuesAt(inputs, "vpcConfig.endpointPublicAccess")[0] !== false;
  const isPrivate = valuesAt(inputs, "vpcConfig.endpointPrivateAccess")[0] === true;
  if (!isPublic && !isPrivate) return invalid("Private and public endpoint access cannot be false");
  const given = valuesAt(inputs, "vpcConfig.publicAccessCidrs[*]");
  const malformed = given.filter((cidr) => !parseCidr(cidr));
  if (malformed.length > 0) {
    return invalid(`The following CIDRs are invalid in publicAccessCidrs: [${malformed.join(", ")}]`);
  }
  const refused = given.filter(isReserved);
  if (refused.length === 0) return undefined;
  return invalid(`The following CIDRs are not allowed in publicAccessCidrs: [${refused.join(", ")}]`);
}

/**
 * Addresses that nobody has on the internet, those for documentation among them.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html which allows no "reserved addresses"
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

/** The words with which terraform-provider-aws recognises that a role's policies have not arrived yet. */
function refuseRole({ world, inputs }: Pick<Asked, "world" | "inputs">): CloudError | undefined {
  if (hasPolicy(world, inputs["roleArn"], "AmazonEKSClusterPolicy", "or-inline")) return undefined;
  const policy = `arn:${world.account.partition}:iam::aws:policy/AmazonEKSClusterPolicy`;
  return invalid(
    "The provided role doesn't have the Amazon EKS Managed Policies associated with it. " +
      `Please ensure the following policy is attached: ${policy}`,
  );
}
