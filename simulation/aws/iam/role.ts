import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import { type CloudObject, propertyOf, type Reference, type Request, type ResourceModel } from "../../cloud/model";
import type { SimulatedCloud } from "../../cloud/simulated-cloud";
import { types } from "../types";
import { allTags, computedDefaults, iamArn, nameFor, recomputesTags, stringAt, stringOf } from "../values";
import { checkPolicy, policyError, type PolicyUse } from "./policy-rules";

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const longestName = 64;

export const role: ResourceModel = {
  type: types.role,
  autoname: { property: "name", prefix: "namePrefix", maxLength: longestName },
  defaults: { forceDetachPolicies: false, maxSessionDuration: 3600, path: "/" },
  required: ["assumeRolePolicy"],
  immutable: ["name", "namePrefix", "path"],
  check: (inputs) => checkPolicy(inputs, "assumeRolePolicy"),
  unique: ({ name }) => nameConflict(name, `Role with name ${stringOf(name)} already exists.`),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  computes: ["arn", "inlinePolicies", "managedPolicyArns", "name", "tagsAll", "uniqueId"],
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
function policiesOf({ id }: CloudObject, cloud: SimulatedCloud): Properties {
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
    const words = `1 validation error detected: Value '${name}' at 'roleName' failed to satisfy constraint: Member must`;
    return new CloudError("ValidationError", `${words} ${constraint}`);
  };
  if (name.length > longestName) return failed(`have length less than or equal to ${longestName}`);
  return /^[\w+=,.@-]+$/.test(name) ? undefined : failed(String.raw`satisfy regular expression pattern: [\w+=,.@-]+`);
}

/** For what may not be there twice under a name that was given. */
export function nameConflict(name: unknown, words: string): { key: string; error: CloudError } | undefined {
  return name === undefined ? undefined : { key: stringOf(name), error: new CloudError("EntityAlreadyExists", words) };
}

/** What IAM answers to a policy document in an input. */
export function rejectPolicy({ cloud, inputs }: Request, property: string, use: PolicyUse): CloudError | undefined {
  const fault = policyError(inputs[property], use, cloud);
  return fault === undefined ? undefined : new CloudError("MalformedPolicyDocument", fault);
}

/** A policy's role. It goes with a role that is deleted by force, and keeps any other. */
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

/** The role of that ARN. */
export function roleWithArn(cloud: SimulatedCloud, arn: unknown): CloudObject | undefined {
  return cloud.find(types.role, { arn })[0];
}

/**
 * Whether a role has a policy that AWS manages.
 *
 * @param instead "or-inline" when a policy written into the role may stand for it: what that allows is not read
 */
export function hasPolicy(cloud: SimulatedCloud, roleArn: unknown, policy: string, instead?: "or-inline"): boolean {
  const role = roleWithArn(cloud, roleArn);
  if (!role) return false;
  const name = propertyOf(role, "name");
  const attached = cloud.find(types.rolePolicyAttachment, { role: name }).map(({ inputs }) => inputs["policyArn"]);
  const own = propertyOf(role, "managedPolicyArns");
  const all = [...attached, ...(Array.isArray(own) ? (own as unknown[]) : [])];
  if (all.some((arn) => stringOf(arn).endsWith(`:policy/${policy}`))) return true;
  return instead === "or-inline" && cloud.find(types.rolePolicy, { role: name }).length > 0;
}
