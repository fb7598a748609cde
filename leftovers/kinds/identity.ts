import type { IAM, InstanceProfile, Role } from "@aws-sdk/client-iam";
import { idTag, stackTag } from "../../components/core/stack-tags";
import { allPages } from "../../sessions/clients";
import { free, sinceOf, tagsOf, type Found, type Step } from "../found";
import { inTurn, withNamesOf } from "./by-name";
import { clusterOfTags } from "./ec2-search";
import { clustersOf } from "./cluster";
import type { Kind } from "./kind";

function page(Marker: string | undefined): { readonly Marker?: string } {
  return Marker === undefined ? {} : { Marker };
}

/** Roles of the cluster, the nodes, the controllers and the lease. */
export const roles: Kind = {
  kind: "role",
  type: "aws:iam/role:Role",
  reads: [
    "iam:ListRoles",
    "iam:ListRoleTags",
    "iam:ListAttachedRolePolicies",
    "iam:ListRolePolicies",
    "iam:ListInstanceProfilesForRole",
  ],
  read: async (aws, search) => {
    const iam = await aws.iam();
    const all = await allPages<Role>(async (marker) => {
      const answer = await iam.listRoles(page(marker));
      return { items: answer.Roles, next: answer.Marker };
    });
    const customers = all.filter(({ Path = "" }) => !/^\/aws-/.test(Path));
    const own = withNamesOf("roles", customers, ({ RoleName }) => RoleName, search);
    return (await inTurn(own, (one) => role(iam, one))).flat();
  },
};

/** A role with its policies; none without a tag that says to what it belongs. */
async function role(iam: IAM, { RoleName: name = "", CreateDate }: Role): Promise<Found[]> {
  const named = { RoleName: name };
  const tags = tagsOf((await iam.listRoleTags(named)).Tags);
  if (tags[idTag] === undefined && tags[stackTag] === undefined && clusterOfTags(tags) === undefined) return [];
  const [attached, inline, profiles] = await Promise.all([
    allPages(async (marker) => {
      const { AttachedPolicies = [], Marker: next } = await iam.listAttachedRolePolicies({ ...named, ...page(marker) });
      return { items: AttachedPolicies.flatMap(({ PolicyArn }) => PolicyArn ?? []), next };
    }),
    allPages(async (marker) => {
      const { PolicyNames, Marker: next } = await iam.listRolePolicies({ ...named, ...page(marker) });
      return { items: PolicyNames, next };
    }),
    allPages(async (marker) => {
      const { InstanceProfiles = [], Marker: next } = await iam.listInstanceProfilesForRole({
        ...named,
        ...page(marker),
      });
      return { items: InstanceProfiles.flatMap(({ InstanceProfileName }) => InstanceProfileName ?? []), next };
    }),
  ]);
  const steps = [
    ...profiles.map((profile) => removeFromProfile(iam, profile, name)),
    ...attached.map((PolicyArn): Step => ({
      cli: `iam detach-role-policy --role-name ${name} --policy-arn ${PolicyArn}`,
      action: "iam:DetachRolePolicy",
      run: () => iam.detachRolePolicy({ ...named, PolicyArn }),
    })),
    ...inline.map((PolicyName): Step => ({
      cli: `iam delete-role-policy --role-name ${name} --policy-name ${PolicyName}`,
      action: "iam:DeleteRolePolicy",
      run: () => iam.deleteRolePolicy({ ...named, PolicyName }),
    })),
    { cli: `iam delete-role --role-name ${name}`, action: "iam:DeleteRole", run: () => iam.deleteRole(named) },
  ];
  const usedBy = profiles.map((profile) => `instance profile ${profile}`);
  return [{ ...{ id: name, tags, rate: free, steps, usedBy }, ...sinceOf(CreateDate) }];
}

function removeFromProfile(iam: IAM, InstanceProfileName: string, RoleName: string): Step {
  return {
    cli: `iam remove-role-from-instance-profile --instance-profile-name ${InstanceProfileName} --role-name ${RoleName}`,
    action: "iam:RemoveRoleFromInstanceProfile",
    run: () => iam.removeRoleFromInstanceProfile({ InstanceProfileName, RoleName }),
  };
}

export const instanceProfiles: Kind = {
  kind: "instance profile",
  type: "aws:iam/instanceProfile:InstanceProfile",
  reads: ["iam:ListInstanceProfiles", "iam:GetInstanceProfile"],
  read: async (aws, search) => {
    const iam = await aws.iam();
    const all = await allPages<InstanceProfile>(async (marker) => {
      const answer = await iam.listInstanceProfiles(page(marker));
      return { items: answer.InstanceProfiles, next: answer.Marker };
    });
    const own = withNamesOf("instance profiles", all, ({ InstanceProfileName }) => InstanceProfileName, search);
    return inTurn(own, (one) => instanceProfile(iam, one));
  },
};

async function instanceProfile(iam: IAM, one: InstanceProfile): Promise<Found> {
  const { InstanceProfileName: name = "", CreateDate, Roles = [] } = one;
  const { InstanceProfile: { Tags } = {} } = await iam.getInstanceProfile({ InstanceProfileName: name });
  return {
    ...{ id: name, tags: tagsOf(Tags), rate: free },
    // Each needs the other: a profile without its role is of no use, and its role may be of somebody else.
    ...{
      uses: Roles.map(({ RoleName }) => `role ${RoleName}`),
      usedBy: Roles.map(({ RoleName }) => `role ${RoleName}`),
    },
    ...sinceOf(CreateDate),
    steps: [
      ...Roles.flatMap(({ RoleName }) => (RoleName === undefined ? [] : [removeFromProfile(iam, name, RoleName)])),
      {
        cli: `iam delete-instance-profile --instance-profile-name ${name}`,
        action: "iam:DeleteInstanceProfile",
        run: () => iam.deleteInstanceProfile({ InstanceProfileName: name }),
      },
    ],
  };
}

/** The identity providers of clusters. They have no tags, so only a cluster that still exists names its own. */
export const oidcProviders: Kind = {
  kind: "OIDC provider",
  reads: ["iam:ListOpenIDConnectProviders", "iam:ListOpenIDConnectProviderTags"],
  read: async (aws, search) => {
    const iam = await aws.iam();
    const issuers = (await clustersOf(search)).map(({ name, identity }) => ({
      cluster: name,
      issuer: identity?.oidc?.issuer?.split("/").at(-1),
    }));
    const { OpenIDConnectProviderList: all = [] } = await iam.listOpenIDConnectProviders({});
    const own = all.flatMap(({ Arn }) => (Arn !== undefined && Arn.includes(`oidc.eks.${aws.region}.`) ? [Arn] : []));
    return inTurn(own, async (OpenIDConnectProviderArn) => {
      const { Tags } = await iam.listOpenIDConnectProviderTags({ OpenIDConnectProviderArn });
      const cluster = issuers.find(({ issuer }) => OpenIDConnectProviderArn.endsWith(`/${issuer}`))?.cluster;
      return {
        ...{ id: OpenIDConnectProviderArn, tags: tagsOf(Tags), rate: free },
        ...(cluster !== undefined && { cluster, isOfCluster: true }),
        steps: [
          {
            cli: `iam delete-open-id-connect-provider --open-id-connect-provider-arn ${OpenIDConnectProviderArn}`,
            action: "iam:DeleteOpenIDConnectProvider",
            run: () => iam.deleteOpenIDConnectProvider({ OpenIDConnectProviderArn }),
          },
        ],
      };
    });
  },
};
