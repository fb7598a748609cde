import type { IAM, InstanceProfile, Role } from "@aws-sdk/client-iam";
import { allPages } from "../../sessions/clients";
import { free, sinceOf, tagsOf, type Found, type Search, type Step } from "../found";
import { clustersOf } from "./cluster";
import type { Kind } from "./kind";

/** The names of roles and instance profiles begin with the name of the cluster, which is cut where it is too long. */
function mayBelong(name: string, { cluster }: Search): boolean {
  return cluster === undefined || name.startsWith(cluster.slice(0, shortestPart));
}

const shortestPart = 20;

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
    const own = all.filter(({ RoleName = "", Path = "" }) => mayBelong(RoleName, search) && !/^\/aws-/.test(Path));
    return inTurn(own, (one) => role(iam, one));
  },
};

/** IAM throttles many requests at once. */
async function inTurn<T>(all: readonly T[], read: (one: T) => Promise<Found>): Promise<Found[]> {
  const found: Found[] = [];
  for (let at = 0; at < all.length; at += 5) found.push(...(await Promise.all(all.slice(at, at + 5).map(read))));
  return found;
}

async function role(iam: IAM, { RoleName: name = "", CreateDate }: Role): Promise<Found> {
  const named = { RoleName: name };
  const [{ Tags }, { AttachedPolicies = [] }, { PolicyNames = [] }, { InstanceProfiles = [] }] = await Promise.all([
    iam.listRoleTags(named),
    iam.listAttachedRolePolicies(named),
    iam.listRolePolicies(named),
    iam.listInstanceProfilesForRole(named),
  ]);
  const attached = AttachedPolicies.flatMap(({ PolicyArn }) => PolicyArn ?? []);
  const profiles = InstanceProfiles.flatMap(({ InstanceProfileName }) => InstanceProfileName ?? []);
  return {
    ...{ id: name, tags: tagsOf(Tags), rate: free },
    ...sinceOf(CreateDate),
    steps: [
      ...profiles.map((profile) => removeFromProfile(iam, profile, name)),
      ...attached.map((PolicyArn): Step => ({
        cli: `iam detach-role-policy --role-name ${name} --policy-arn ${PolicyArn}`,
        action: "iam:DetachRolePolicy",
        run: () => iam.detachRolePolicy({ ...named, PolicyArn }),
      })),
      ...PolicyNames.map((PolicyName): Step => ({
        cli: `iam delete-role-policy --role-name ${name} --policy-name ${PolicyName}`,
        action: "iam:DeleteRolePolicy",
        run: () => iam.deleteRolePolicy({ ...named, PolicyName }),
      })),
      { cli: `iam delete-role --role-name ${name}`, action: "iam:DeleteRole", run: () => iam.deleteRole(named) },
    ],
  };
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
  reads: ["iam:ListInstanceProfiles", "iam:GetInstanceProfile"],
  read: async (aws, search) => {
    const iam = await aws.iam();
    const all = await allPages<InstanceProfile>(async (marker) => {
      const answer = await iam.listInstanceProfiles(page(marker));
      return { items: answer.InstanceProfiles, next: answer.Marker };
    });
    const own = all.filter(({ InstanceProfileName = "" }) => mayBelong(InstanceProfileName, search));
    return inTurn(own, (one) => instanceProfile(iam, one));
  },
};

async function instanceProfile(iam: IAM, one: InstanceProfile): Promise<Found> {
  const { InstanceProfileName: name = "", CreateDate, Roles = [] } = one;
  const { InstanceProfile: { Tags } = {} } = await iam.getInstanceProfile({ InstanceProfileName: name });
  return {
    ...{ id: name, tags: tagsOf(Tags), rate: free },
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
    const issuers = (await clustersOf(aws, search)).flatMap(
      ({ identity }) => identity?.oidc?.issuer?.split("/").at(-1) ?? [],
    );
    const { OpenIDConnectProviderList: all = [] } = await iam.listOpenIDConnectProviders({});
    const own = all.flatMap(({ Arn }) => (Arn !== undefined && Arn.includes(`oidc.eks.${aws.region}.`) ? [Arn] : []));
    return inTurn(own, async (OpenIDConnectProviderArn) => {
      const { Tags } = await iam.listOpenIDConnectProviderTags({ OpenIDConnectProviderArn });
      return {
        ...{ id: OpenIDConnectProviderArn, tags: tagsOf(Tags), rate: free },
        ...(issuers.some((issuer) => OpenIDConnectProviderArn.endsWith(`/${issuer}`)) && { isClusters: true }),
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
