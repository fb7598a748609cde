import { inlinePolicyLimit } from "../../../components/cluster/identity/policy-document";
import { CloudError } from "../../cloud/errors";
import type { Request, ObjectRequest, ResourceModel, CloudObject } from "../../cloud/model";
import { types } from "../types";
import { allTags, computedDefaults, iamArn, nameFor, recomputesTags, stringOf, stringAt, uniqueName } from "../values";
import { checkPolicy } from "./policy-rules";
import { rejectPolicy, roleReference } from "./role";

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
