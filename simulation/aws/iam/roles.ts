import { inlinePolicyLimit } from "../../../components/cluster/identity/policy-document";
import type { Properties } from "../../../components/core/wire";
import { checkPolicy, policyError, type PolicyUse } from "./policy-documents";
import { types } from "../types";
import { allTags, computedDefaults, iamArn, nameFor, recomputesTags, stringAt, stringOf, uniqueName } from "../values";
import { CloudError } from "../../cloud/errors";
import {
  propertyOf,
  type CloudObject,
  type Reference,
  type Request,
  type ResourceModel,
  type CloudState,
  type ObjectRequest,
} from "../../cloud/model";

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const nameLimit = 64;

export const role: ResourceModel = {
  type: types.role,
  autoname: { property: "name", prefix: "namePrefix", maxLength: nameLimit },
  defaults: { forceDetachPolicies: false, maxSessionDuration: 3600, path: "/" },
  required: ["assumeRolePolicy"],
  check: (inputs) => checkPolicy(inputs, "assumeRolePolicy"),
  unique: uniqueName("EntityAlreadyExists", (name) => `Role with name ${name} already exists.`),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  recomputes: recomputesTags,
  computed: (request, id, old) => ({
    ...computedDefaults(request.inputs, { name: id }),
    tagsAll: allTags(request),
    arn: iamArn(request.cloud, `role${stringAt(request.inputs, "path") ?? "/"}${id}`),
    uniqueId: old?.["uniqueId"] ?? `AROA${stringOf(request.cloud.objects.length).padStart(17, "0")}`,
  }),
  derivedOutputs: policiesOf,
  validateCreate: (request) => rejectName(request.inputs) ?? rejectPolicy(request, "assumeRolePolicy", "trust"),
  validateUpdate: (request) => rejectPolicy(request, "assumeRolePolicy", "trust"),
};

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/iam/role.go resourceRoleRead */
function policiesOf({ id }: CloudObject, cloud: CloudState): Properties {
  const inline = cloud.find(types.rolePolicy, { role: id });
  const attached = cloud.find(types.rolePolicyAttachment, { role: id });
  return {
    inlinePolicies: inline.map((each) => ({ name: propertyOf(each, "name"), policy: each.inputs["policy"] })),
    managedPolicyArns: attached.map(({ inputs }) => inputs["policyArn"]),
  };
}

function rejectName(inputs: Properties): CloudError | undefined {
  const name = nameFor(inputs, "00000000");
  const failed = (constraint: string) => {
    const message = `1 validation error detected: Value '${name}' at 'roleName' failed to satisfy constraint: Member must`;
    return new CloudError("ValidationError", `${message} ${constraint}`);
  };
  if (name.length > nameLimit) return failed(`have length less than or equal to ${nameLimit}`);
  return /^[\w+=,.@-]+$/.test(name) ? undefined : failed(String.raw`satisfy regular expression pattern: [\w+=,.@-]+`);
}

/** The error of IAM when the policy document of an input is invalid. */
function rejectPolicy({ cloud, inputs }: Request, property: string, use: PolicyUse): CloudError | undefined {
  const fault = policyError(inputs[property], use, cloud);
  return fault === undefined ? undefined : new CloudError("MalformedPolicyDocument", fault);
}

/** The role of a policy. Without `forceDetachPolicies`, a role with policies cannot be deleted. */
function roleReference(conflict: string): Reference {
  const held = ({ inputs }: CloudObject) =>
    inputs["forceDetachPolicies"] === true ? "cascade" : new CloudError("DeleteConflict", conflict);
  return {
    path: "role",
    to: types.role,
    missing: (name) => new CloudError("NoSuchEntity", `The role with name ${name} cannot be found.`),
    onDelete: held,
  };
}

/** The role with an ARN. */
export function roleWithArn(cloud: CloudState, arn: unknown): CloudObject | undefined {
  return cloud.find(types.role, { arn })[0];
}

/**
 * Whether a role has an AWS managed policy.
 *
 * @param instead "or-inline" accepts any inline policy in its place; its permissions are not evaluated
 */
export function hasPolicy(cloud: CloudState, roleArn: unknown, policy: string, instead?: "or-inline"): boolean {
  const role = roleWithArn(cloud, roleArn);
  if (!role) return false;
  const name = propertyOf(role, "name");
  const attached = cloud.find(types.rolePolicyAttachment, { role: name }).map(({ inputs }) => inputs["policyArn"]);
  const own = propertyOf(role, "managedPolicyArns");
  const all = [...attached, ...(Array.isArray(own) ? (own as unknown[]) : [])];
  if (all.some((arn) => stringOf(arn).endsWith(`:policy/${policy}`))) return true;
  return instead === "or-inline" && cloud.find(types.rolePolicy, { role: name }).length > 0;
}

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const quotas = { policiesPerRole: 10, managedPolicySize: 6144 } as const;

/** An inline policy of a role. Creating it again overwrites it, as in IAM. */
export const rolePolicy: ResourceModel = {
  type: types.rolePolicy,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 128 },
  required: ["policy", "role"],
  check: (inputs) => checkPolicy(inputs, "policy"),
  references: [roleReference("Cannot delete entity, must delete policies first.")],
  id: ({ inputs }, serial) => `${stringOf(inputs["role"])}:${nameFor(inputs, serial)}`,
  computed: ({ inputs }, id) => computedDefaults(inputs, { name: id.slice(id.indexOf(":") + 1) }),
  validateCreate: (request) => rejectPolicy(request, "policy", "identity") ?? rejectInlineSize(request),
  validateUpdate: (request) => rejectPolicy(request, "policy", "identity") ?? rejectInlineSize(request, request.object),
};

function rejectInlineSize({ cloud, inputs }: Request, old?: CloudObject): CloudError | undefined {
  const others = cloud.find(types.rolePolicy, { role: inputs["role"] }).filter(({ id }) => id !== old?.id);
  const documents = [inputs["policy"], ...others.map((other) => other.inputs["policy"])];
  const size = documents.reduce<number>((sum, document) => sum + sizeOf(document), 0);
  if (size <= inlinePolicyLimit) return undefined;
  const message = `Maximum policy size of ${inlinePolicyLimit} bytes exceeded for role ${stringOf(inputs["role"])}`;
  return new CloudError("LimitExceeded", message);
}

/** The size of a policy. IAM does not count white space. */
function sizeOf(document: unknown): number {
  return stringOf(document).replace(/\s/g, "").length;
}

/** Attaching a policy twice has the effect of attaching it once. */
export const rolePolicyAttachment: ResourceModel = {
  type: types.rolePolicyAttachment,
  required: ["policyArn", "role"],
  // The new attachment would be the same object as the old one, and would be deleted with it.
  deleteBeforeReplace: true,
  references: [roleReference("Cannot delete entity, must detach all policies first.")],
  id: ({ inputs }) => `${stringOf(inputs["role"])}/${stringOf(inputs["policyArn"])}`,
  validateCreate: (request) => rejectMissingPolicy(request) ?? rejectAttachmentQuota(request),
};

/** Any name of an AWS managed policy is accepted. */
function rejectMissingPolicy({ cloud, inputs }: Request): CloudError | undefined {
  const policyArn = stringOf(inputs["policyArn"]);
  if (policyArn.startsWith(`arn:${cloud.account.partition}:iam::aws:policy/`)) return undefined;
  if (cloud.find(types.policy, { arn: policyArn }).length > 0) return undefined;
  return new CloudError("NoSuchEntity", `Policy ${policyArn} does not exist or is not attachable.`);
}

function rejectAttachmentQuota({ cloud, inputs: { role, policyArn } }: Request): CloudError | undefined {
  const others = cloud
    .find(types.rolePolicyAttachment, { role })
    .filter(({ inputs }) => inputs["policyArn"] !== policyArn);
  if (others.length < quotas.policiesPerRole) return undefined;
  return new CloudError("LimitExceeded", `Cannot exceed quota for PoliciesPerRole: ${quotas.policiesPerRole}`);
}

export const policy: ResourceModel = {
  type: types.policy,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 128 },
  defaults: { path: "/" },
  required: ["policy"],
  check: (inputs) => checkPolicy(inputs, "policy"),
  unique: uniqueName(
    "EntityAlreadyExists",
    (name) => `A policy called ${name} already exists. Duplicate names are not allowed.`,
  ),
  id: ({ cloud, inputs }, serial) =>
    iamArn(cloud, `policy${stringAt(inputs, "path") ?? "/"}${nameFor(inputs, serial)}`),
  recomputes: recomputesTags,
  computed: (request, id, old) => ({
    ...computedDefaults(request.inputs, { name: id.slice(id.lastIndexOf("/") + 1) }),
    tagsAll: allTags(request),
    arn: id,
    policyId: old?.["policyId"] ?? `ANPA${stringOf(request.cloud.objects.length).padStart(17, "0")}`,
  }),
  derivedOutputs: ({ id }, cloud) => ({
    attachmentCount: cloud.find(types.rolePolicyAttachment, { policyArn: id }).length,
  }),
  validateCreate: rejectManagedPolicy,
  validateUpdate: rejectManagedPolicy,
  validateDelete: rejectAttached,
};

function rejectManagedPolicy(request: Request): CloudError | undefined {
  const fault = rejectPolicy(request, "policy", "identity");
  if (fault || sizeOf(request.inputs["policy"]) <= quotas.managedPolicySize) return fault;
  return new CloudError("LimitExceeded", `Cannot exceed quota for PolicySize: ${quotas.managedPolicySize}`);
}

function rejectAttached({ cloud, object }: ObjectRequest): CloudError | undefined {
  if (cloud.find(types.rolePolicyAttachment, { policyArn: object.id }).length === 0) return undefined;
  return new CloudError("DeleteConflict", "Cannot delete a policy attached to entities.");
}

/** The profile with which instances get a role. The provider takes the role out of it before it deletes the role. */
export const instanceProfile: ResourceModel = {
  type: types.instanceProfile,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 128 },
  defaults: { path: "/" },
  references: [{ ...roleReference(""), onDelete: "cascade" }],
  unique: uniqueName("EntityAlreadyExists", (name) => `Instance Profile ${name} already exists.`),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  recomputes: recomputesTags,
  computed: (request, id, old) => ({
    ...computedDefaults(request.inputs, { name: id }),
    tagsAll: allTags(request),
    arn: iamArn(request.cloud, `instance-profile${stringAt(request.inputs, "path") ?? "/"}${id}`),
    createDate: old?.["createDate"] ?? "2026-01-01T00:00:00Z",
    uniqueId: old?.["uniqueId"] ?? `AIPA${stringOf(request.cloud.objects.length).padStart(17, "0")}`,
  }),
};
