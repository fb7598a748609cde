import { addonDefaults } from "../../../../components/cluster/addons/addon-defaults";
import { amiReleases, kubernetesVersion, pinnedAddons } from "../../../../components/core/versions";
import type { Answers, Params } from "../../../support/aws-server";

/** The answers of AWS about an account and its region. */

const region = "ap-northeast-2";
const release = String(amiReleases[kubernetesVersion]);

/** An account in Seoul in which the default lab fits, seen by an administrator. */
export const fineAccount: Answers = {
  GetCallerIdentity: () => identity("user/learner"),
  DescribeAvailabilityZones: () => zones("a", "b", "c", "d"),
  DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "abcd"], ["t3.medium", "abcd"]),
  DescribeInstances: () => instances(),
  DescribeSubnets: () => subnets(1000),
  GetServiceQuota: () => quota(8),
  ListClusters: () => ({ clusters: [] }),
  DescribeLogGroups: () => ({ logGroups: [] }),
  ListAliases: () => ({ Aliases: [] }),
  ListAddons: () => ({ addons: [] }),
  GetParameter: ({ Name: name }) => ({ Parameter: { Name: name, Type: "String", Value: release, Version: 1 } }),
  DescribeAddonVersions: ({ addonName }) => addon(String(addonName)),
  SimulatePrincipalPolicy: (params) => decisions(params, () => "allowed"),
};

export function identity(what: string): object {
  const service = what.startsWith("assumed-role/") ? "sts" : "iam";
  const Account = "123456789012";
  return { Arn: `arn:aws:${service}::${Account}:${what}`, UserId: "AIDAEXAMPLEEXAMPLE", Account };
}

export function zones(...letters: readonly string[]): string {
  const items = letters.map(
    (letter) =>
      `<item><zoneName>${region}${letter}</zoneName><zoneId>apne2-az-${letter}</zoneId><zoneState>available</zoneState></item>`,
  );
  return `<availabilityZoneInfo>${items.join("")}</availabilityZoneInfo>`;
}

/** Each type with the letters of its zones. */
export function offerings(...types: readonly (readonly [type: string, letters: string])[]): string {
  const items = types.flatMap(([type, letters]) =>
    [...letters].map(
      (letter) =>
        `<item><instanceType>${type}</instanceType><locationType>availability-zone</locationType><location>${region}${letter}</location></item>`,
    ),
  );
  return `<instanceTypeOfferingSet>${items.join("")}</instanceTypeOfferingSet>`;
}

export interface RunningInstance {
  readonly type: string;
  readonly spot?: boolean;
  readonly cores?: number;
  readonly tags?: Readonly<Record<string, string>>;
}

export function instances(...list: readonly RunningInstance[]): string {
  const items = list.map(({ type, spot, cores = 1, tags = {} }, index) => {
    const tagSet = Object.entries(tags).map(([key, value]) => `<item><key>${key}</key><value>${value}</value></item>`);
    const lifecycle = spot === true ? "<instanceLifecycle>spot</instanceLifecycle>" : "";
    const cpu = `<cpuOptions><coreCount>${cores}</coreCount><threadsPerCore>2</threadsPerCore></cpuOptions>`;
    return `<item><instanceId>i-${index}</instanceId><instanceType>${type}</instanceType>${lifecycle}${cpu}<tagSet>${tagSet.join("")}</tagSet></item>`;
  });
  return `<reservationSet><item><reservationId>r-1</reservationId><instancesSet>${items.join("")}</instancesSet></item></reservationSet>`;
}

export function subnets(free: number): string {
  return `<subnetSet><item><subnetId>subnet-0123456789abcdef0</subnetId><availableIpAddressCount>${free}</availableIpAddressCount></item></subnetSet>`;
}

export function quota(vcpus: number): object {
  return { Quota: { ServiceCode: "ec2", QuotaCode: "L-DB2E81BA", Value: vcpus, Adjustable: true } };
}

/** An add-on with these versions; the first is EKS's default. */
export function addon(addonName: string, ...versions: readonly string[]): object {
  const standard = addonDefaults[kubernetesVersion]?.[addonName]?.version;
  const offered = versions.length > 0 ? versions : pinnedAnd(addonName, standard);
  const addonVersions = offered.map((addonVersion, index) => ({
    addonVersion,
    compatibilities: [{ clusterVersion: kubernetesVersion, platformVersions: ["*"], defaultVersion: index === 0 }],
  }));
  return { addons: [{ addonName, type: "networking", addonVersions }] };
}

function pinnedAnd(addonName: string, standard: string | undefined): string[] {
  const pinned = pinnedAddons[kubernetesVersion]?.[addonName];
  return [...new Set([pinned, standard].filter((version) => version !== undefined))];
}

/** What IAM says about each action of a request. */
export function decisions(params: Params, of: (action: string) => string): object {
  const actions = Object.entries(params).flatMap(([key, value]) =>
    key.startsWith("ActionNames.member.") ? [String(value)] : [],
  );
  const EvaluationResults = actions.map((action) => ({
    ...{ EvalActionName: action, EvalResourceName: "*", EvalDecision: of(action) },
  }));
  return { IsTruncated: false, EvaluationResults };
}

export interface GroupFields {
  readonly cluster: string;
  readonly name: string;
  readonly type?: string;
  readonly desired?: number;
  readonly max?: number;
}

export function nodeGroup({ cluster, name, type = "g5.xlarge", desired = 0, max = 2 }: GroupFields): object {
  return {
    nodegroup: {
      ...{ clusterName: cluster, nodegroupName: name, status: "ACTIVE", capacityType: "ON_DEMAND" },
      instanceTypes: [type],
      scalingConfig: { minSize: 0, maxSize: max, desiredSize: desired },
      subnets: ["subnet-0123456789abcdef0"],
    },
  };
}
