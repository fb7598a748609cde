import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError, existing } from "../cloud/errors";
import { propertyOf, type CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./service-api";
import { createdAt, deleteOrFail, nameOf, tagList } from "./objects";
import { queryApi, type Actions } from "./query";

const complete = { IsTruncated: false };

function noSuchEntity(what: string, name: string): CloudError {
  return new CloudError("NoSuchEntity", `The ${what} with name ${name} cannot be found.`);
}

/** The API of IAM: roles with their policies, instance profiles and identity providers. */
export function iamApi(cloud: SimulatedCloud): ServiceApi {
  return queryApi("https://iam.amazonaws.com/doc/2010-05-08/", {
    ...roleReads(cloud),
    ...roleChanges(cloud),
    ...providerActions(cloud),
    ...profileActions(cloud),
    ListPolicies: () => ({
      Policies: cloud.find(types.policy).map((policy) => ({ PolicyName: nameOf(policy), Arn: policy.id })),
      ...complete,
    }),
    SimulatePrincipalPolicy: allowed,
  });
}

/** The caller of the simulated account is an administrator. */
function allowed(form: URLSearchParams): object {
  const actions = [...form].filter(([key]) => key.startsWith("ActionNames.member.")).map(([, action]) => action);
  const results = actions.map((EvalActionName) => ({ EvalActionName, EvalDecision: "allowed" }));
  return { EvaluationResults: results, ...complete };
}

const at = (form: URLSearchParams, name: string) => form.get(name) ?? "";

function roleOf(cloud: SimulatedCloud, form: URLSearchParams): CloudObject {
  const name = at(form, "RoleName");
  return existing(cloud.get(types.role, name), noSuchEntity("role", name));
}

/** The policies of a role: attached ones, and inline ones. */
function policiesOf(cloud: SimulatedCloud, { id: role }: CloudObject, type: string): CloudObject[] {
  return cloud.find(type, { role });
}

function roleReads(cloud: SimulatedCloud): Actions {
  const policies = (form: URLSearchParams, type: string) => policiesOf(cloud, roleOf(cloud, form), type);
  return {
    ListRoles: () => ({ Roles: cloud.find(types.role).map((role) => roleAnswer(cloud, role)), ...complete }),
    ListRoleTags: (form) => ({ Tags: tagList(roleOf(cloud, form)), ...complete }),
    ListAttachedRolePolicies: (form) => ({
      AttachedPolicies: policies(form, types.rolePolicyAttachment).map(({ inputs: { policyArn } }) => {
        return { PolicyName: stringOf(policyArn).split("/").at(-1), PolicyArn: policyArn };
      }),
      ...complete,
    }),
    ListRolePolicies: (form) => ({ PolicyNames: policies(form, types.rolePolicy).map(nameOf), ...complete }),
  };
}

function roleChanges(cloud: SimulatedCloud): Actions {
  const removePolicy = (form: URLSearchParams, type: string, separator: string, name: string) => {
    const id = `${roleOf(cloud, form).id}${separator}${name}`;
    return deleteOrFail(cloud, type, id, noSuchEntity("policy", name));
  };
  return {
    DetachRolePolicy: (form) => removePolicy(form, types.rolePolicyAttachment, "/", at(form, "PolicyArn")),
    DeleteRolePolicy: (form) => removePolicy(form, types.rolePolicy, ":", at(form, "PolicyName")),
    DeleteRole: async (form) => {
      const role = roleOf(cloud, form);
      // The provider detaches the policies of a role with forceDetachPolicies; the API rejects the request.
      const held = [types.rolePolicyAttachment, types.rolePolicy].flatMap((type) => policiesOf(cloud, role, type));
      if (held.length > 0) {
        throw new CloudError("DeleteConflict", "Cannot delete entity, must delete policies first.");
      }
      if (cloud.find(types.instanceProfile, { role: role.id }).length > 0) {
        throw new CloudError("DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.");
      }
      await cloud.delete(types.role, role.id);
      return {};
    },
  };
}

function profileActions(cloud: SimulatedCloud): Actions {
  const profileOf = (form: URLSearchParams) => {
    const name = at(form, "InstanceProfileName");
    return existing(cloud.get(types.instanceProfile, name), noSuchEntity("instance profile", name));
  };
  const answer = (profile: CloudObject) => ({
    ...{ Path: profile.inputs["path"] ?? "/", InstanceProfileName: profile.id, CreateDate: createdAt(cloud, profile) },
    ...{ InstanceProfileId: propertyOf(profile, "uniqueId"), Arn: propertyOf(profile, "arn") },
    Roles: [cloud.get(types.role, stringOf(profile.inputs["role"]))].flatMap((role) =>
      role ? roleAnswer(cloud, role) : [],
    ),
  });
  const all = (inputs = {}) => ({
    InstanceProfiles: cloud.find(types.instanceProfile, inputs).map(answer),
    ...complete,
  });
  return {
    ListInstanceProfiles: () => all(),
    ListInstanceProfilesForRole: (form) => all({ role: roleOf(cloud, form).id }),
    GetInstanceProfile: (form) => {
      const profile = profileOf(form);
      return { InstanceProfile: { ...answer(profile), Tags: tagList(profile) } };
    },
    RemoveRoleFromInstanceProfile: (form) => {
      const { role: _, ...inputs } = profileOf(form).inputs;
      cloud.put({ ...profileOf(form), inputs });
      return {};
    },
    DeleteInstanceProfile: async (form) => {
      const { type, id, inputs } = profileOf(form);
      if (inputs["role"] !== undefined) throw new CloudError("DeleteConflict", "Must remove roles from it first.");
      await cloud.delete(type, id);
      return {};
    },
  };
}

function providerActions(cloud: SimulatedCloud): Actions {
  const arnIn = (form: URLSearchParams) => at(form, "OpenIDConnectProviderArn");
  return {
    ListOpenIDConnectProviders: () => ({
      OpenIDConnectProviderList: cloud.find(types.openIdConnectProvider).map(({ id: Arn }) => ({ Arn })),
    }),
    ListOpenIDConnectProviderTags: (form) => {
      const provider = cloud.get(types.openIdConnectProvider, arnIn(form));
      return { Tags: tagList(existing(provider, noSuchEntity("provider", arnIn(form)))), ...complete };
    },
    DeleteOpenIDConnectProvider: (form) =>
      deleteOrFail(cloud, types.openIdConnectProvider, arnIn(form), noSuchEntity("provider", arnIn(form))),
  };
}

function roleAnswer(cloud: SimulatedCloud, role: CloudObject): object {
  return {
    ...{ Path: role.inputs["path"] ?? "/", RoleName: role.id, RoleId: propertyOf(role, "uniqueId") },
    ...{ Arn: propertyOf(role, "arn"), CreateDate: createdAt(cloud, role) },
  };
}
