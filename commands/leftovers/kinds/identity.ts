import type { InstanceProfile, Role } from "@aws-sdk/client-iam";
import { idTag } from "../../../components/core/stack-tags";
import { itemsOf, request, type Aws } from "../../../aws/clients";
import { free, lastPart, tagsOf, type Found } from "../found";
import { step } from "../requests";
import { clustersOf, nodesOf } from "./cluster";
import { hasOwner } from "./ec2-search";
import { kindOf } from "./kind";

/** Roles of the cluster, the nodes, the controllers and the lease. */
export const roles = kindOf({
  kind: "role",
  type: "aws:iam/role:Role",
  reads: [
    "iam:ListRoles",
    "iam:ListRoleTags",
    "iam:ListAttachedRolePolicies",
    "iam:ListRolePolicies",
    "iam:ListInstanceProfilesForRole",
  ],
  list: async (aws) => {
    const all = await itemsOf(aws, "iam:ListRoles", "Roles", {});
    return all.filter(({ Path = "" }) => !/^\/aws-/.test(Path));
  },
  nameOf: ({ RoleName }) => RoleName,
  found: role,
});

/** A role with its policies; none without a tag that says to what it belongs. */
async function role({ RoleName = "", CreateDate }: Role, aws: Aws): Promise<Found | undefined> {
  const named = { RoleName };
  const tags = tagsOf((await request(aws, "iam:ListRoleTags", named)).Tags);
  if (!hasOwner(tags)) return undefined;
  const [attached, inline, profiles] = await Promise.all([
    itemsOf(aws, "iam:ListAttachedRolePolicies", "AttachedPolicies", { ...named }),
    listInlinePolicies(aws, RoleName),
    itemsOf(aws, "iam:ListInstanceProfilesForRole", "InstanceProfiles", { ...named }),
  ]);
  return {
    ...{ id: RoleName, tags, rate: free, since: CreateDate?.toISOString() },
    usedBy: profiles.map(({ InstanceProfileName }) => `instance profile ${InstanceProfileName}`),
    steps: [
      ...attached.map(({ PolicyArn }) => step(aws, "iam:DetachRolePolicy", { ...named, PolicyArn })),
      ...inline.map((PolicyName) => step(aws, "iam:DeleteRolePolicy", { ...named, PolicyName })),
      step(aws, "iam:DeleteRole", named),
    ],
  };
}

/** The names of a role's inline policies. */
export function listInlinePolicies(aws: Aws, RoleName: string): Promise<string[]> {
  return itemsOf(aws, "iam:ListRolePolicies", "PolicyNames", { RoleName });
}

export const instanceProfiles = kindOf({
  kind: "instance profile",
  type: "aws:iam/instanceProfile:InstanceProfile",
  reads: ["iam:ListInstanceProfiles", "iam:GetInstanceProfile"],
  list: (aws) => itemsOf(aws, "iam:ListInstanceProfiles", "InstanceProfiles", {}),
  nameOf: ({ InstanceProfileName }) => InstanceProfileName,
  found: instanceProfile,
});

async function instanceProfile(one: InstanceProfile, aws: Aws): Promise<Found | undefined> {
  const { InstanceProfileName = "", CreateDate, Roles = [] } = one;
  const { InstanceProfile: { Tags } = {} } = await request(aws, "iam:GetInstanceProfile", { InstanceProfileName });
  const tags = tagsOf(Tags);
  // IAM has no regions: Karpenter names that of its cluster, and another region can have a cluster of the same name.
  if ((tags["topology.kubernetes.io/region"] ?? aws.region) !== aws.region) return undefined;
  // EKS makes one for a node group, and removes it with that.
  const isOfEks = tags[idTag] === undefined && InstanceProfileName.startsWith("eks-");
  // Each needs the other: a profile without its role is of no use, and its role may belong to somebody else.
  const named = Roles.map(({ RoleName }) => `role ${RoleName}`);
  return {
    ...{ id: InstanceProfileName, tags, rate: free, uses: named },
    ...(isOfEks ? { within: nodesOf(Roles[0]?.RoleName) } : { usedBy: named }),
    since: CreateDate?.toISOString(),
    steps: [
      ...Roles.map(({ RoleName }) => step(aws, "iam:RemoveRoleFromInstanceProfile", { InstanceProfileName, RoleName })),
      step(aws, "iam:DeleteInstanceProfile", { InstanceProfileName }),
    ],
  };
}

export async function listIdentityProviders(aws: Aws): Promise<string[]> {
  const { OpenIDConnectProviderList: all = [] } = await request(aws, "iam:ListOpenIDConnectProviders", {});
  return all.flatMap(({ Arn }) => Arn ?? []);
}

/** The identity providers of clusters. They have no tags, so only a cluster that still exists names its own. */
export const oidcProviders = kindOf({
  kind: "OIDC provider",
  reads: ["iam:ListOpenIDConnectProviders", "iam:ListOpenIDConnectProviderTags"],
  list: async (aws) => (await listIdentityProviders(aws)).filter((arn) => arn.includes(`oidc.eks.${aws.region}.`)),
  found: async (OpenIDConnectProviderArn, aws, search) => {
    const { Tags } = await request(aws, "iam:ListOpenIDConnectProviderTags", { OpenIDConnectProviderArn });
    const isIssuer = (issuer: string | undefined) => OpenIDConnectProviderArn.endsWith(`/${lastPart(issuer)}`);
    const cluster = (await clustersOf(search)).find(({ identity }) => isIssuer(identity?.oidc?.issuer))?.name;
    return {
      ...{ id: OpenIDConnectProviderArn, tags: tagsOf(Tags), rate: free, cluster, isOfCluster: cluster !== undefined },
      steps: [step(aws, "iam:DeleteOpenIDConnectProvider", { OpenIDConnectProviderArn })],
    };
  },
});
