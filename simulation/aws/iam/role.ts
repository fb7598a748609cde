import { CloudError } from "../../world/cloud-error";
import type { Asked, Kind, Reference, WorldObject } from "../../world/kind";
import { propertyOf, type World } from "../../world/world";
import type { Properties } from "../../../components/core/wire";
import { types } from "../types";
import { allTags, besides, iamArn, nameFor, recomputesTags, shown, textOf } from "../values";
import { checkPolicy, policyFault, type PolicyUse } from "./policy-rules";

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const longestName = 64;

export const role: Kind = {
  type: types.role,
  autoname: { property: "name", prefix: "namePrefix", maxLength: longestName },
  defaults: { forceDetachPolicies: false, maxSessionDuration: 3600, path: "/" },
  required: ["assumeRolePolicy"],
  immutable: ["name", "namePrefix", "path"],
  check: (inputs) => checkPolicy(inputs, "assumeRolePolicy"),
  unique: ({ name }) => uniqueName(name, `Role with name ${shown(name)} already exists.`),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  computes: ["arn", "inlinePolicies", "managedPolicyArns", "name", "tagsAll", "uniqueId"],
  recomputes: recomputesTags,
  computed: (asked, id, old) => ({
    ...besides(asked.inputs, { name: id }),
    tagsAll: allTags(asked),
    arn: iamArn(asked.world, `role${textOf(asked.inputs, "path") ?? "/"}${id}`),
    uniqueId: old?.["uniqueId"] ?? `AROA${shown(asked.world.objects.length).padStart(17, "0")}`,
  }),
  live: policiesOf,
  create: (asked) => refuseName(asked.inputs) ?? refusePolicy(asked, "assumeRolePolicy", "trust"),
  update: (asked) => refusePolicy(asked, "assumeRolePolicy", "trust"),
};

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/iam/role.go resourceRoleRead */
function policiesOf({ id }: WorldObject, world: World): Properties {
  const inline = world.find(types.rolePolicy, { role: id });
  const attached = world.find(types.rolePolicyAttachment, { role: id });
  return {
    inlinePolicies: inline.map((each) => ({ name: propertyOf(each, "name"), policy: each.inputs["policy"] })),
    managedPolicyArns: attached.map(({ inputs }) => inputs["policyArn"]),
  };
}

function refuseName(inputs: Properties): CloudError | undefined {
  const name = nameFor(inputs, "00000000");
  const failed = (constraint: string) => {
    const words = `1 validation error detected: Value '${name}' at 'roleName' failed to satisfy constraint: Member must`;
    return new CloudError("ValidationError", `${words} ${constraint}`);
  };
  if (name.length > longestName) return failed(`have length less than or equal to ${longestName}`);
  return /^[\w+=,.@-]+$/.test(name) ? undefined : failed(String.raw`satisfy regular expression pattern: [\w+=,.@-]+`);
}

/** For what may not be there twice under a name that was given. */
export function uniqueName(name: unknown, words: string): { key: string; error: CloudError } | undefined {
  return name === undefined ? undefined : { key: shown(name), error: new CloudError("EntityAlreadyExists", words) };
}

/** What IAM answers to a policy document in an input. */
export function refusePolicy({ world, inputs }: Asked, property: string, use: PolicyUse): CloudError | undefined {
  const fault = policyFault(inputs[property], use, world);
  return fault === undefined ? undefined : new CloudError("MalformedPolicyDocument", fault);
}

/** A policy's role. It goes with a role that is deleted by force, and keeps any other. */
export function toRole(conflict: string): Reference {
  const held = ({ inputs }: WorldObject) =>
    inputs["forceDetachPolicies"] === true ? "goes-along" : new CloudError("DeleteConflict", conflict);
  return {
    path: "role",
    to: types.role,
    missing: (name) => new CloudError("NoSuchEntity", `The role with name ${name} cannot be found.`),
    held,
  };
}
