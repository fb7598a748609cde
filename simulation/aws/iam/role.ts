import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import {
  type CloudObject,
  propertyOf,
  type Reference,
  type Request,
  type ResourceModel,
  type CloudState,
} from "../../cloud/model";
import { types } from "../types";
import { allTags, computedDefaults, iamArn, nameFor, recomputesTags, stringAt, stringOf, uniqueName } from "../values";
import { checkPolicy, policyError, type PolicyUse } from "./policy-rules";

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
export function rejectPolicy({ cloud, inputs }: Request, property: string, use: PolicyUse): CloudError | undefined {
  const fault = policyError(inputs[property], use, cloud);
  return fault === undefined ? undefined : new CloudError("MalformedPolicyDocument", fault);
}

/** The role of a policy. Without `forceDetachPolicies`, a role with policies cannot be deleted. */
export function roleReference(conflict: string): Reference {
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
