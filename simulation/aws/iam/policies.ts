import { inlinePolicyLimit } from "../../../components/cluster/identity/policy-document";
import { CloudError } from "../../world/cloud-error";
import type { Asked, AskedOf, Kind, WorldObject } from "../../world/kind";
import { types } from "../types";
import { allTags, besides, iamArn, nameFor, recomputesTags, shown, textOf } from "../values";
import { checkPolicy } from "./policy-rules";
import { refusePolicy, toRole, uniqueName } from "./role";

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
export const quotas = { policiesPerRole: 10, managedPolicySize: 6144 } as const;

/** A policy that stands in a role. Making one that is there already writes over it, as IAM does. */
export const rolePolicy: Kind = {
  type: types.rolePolicy,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 128 },
  required: ["policy", "role"],
  immutable: ["name", "namePrefix", "role"],
  check: (inputs) => checkPolicy(inputs, "policy"),
  references: [toRole("Cannot delete entity, must delete policies first.")],
  id: ({ inputs }, serial) => `${shown(inputs["role"])}:${nameFor(inputs, serial)}`,
  computes: ["name"],
  computed: ({ inputs }, id) => besides(inputs, { name: id.slice(id.indexOf(":") + 1) }),
  create: (asked) => refusePolicy(asked, "policy", "identity") ?? refuseInlineSize(asked),
  update: (asked) => refusePolicy(asked, "policy", "identity") ?? refuseInlineSize(asked, asked.object),
};

function refuseInlineSize({ world, inputs }: Asked, old?: WorldObject): CloudError | undefined {
  const others = world.find(types.rolePolicy, { role: inputs["role"] }).filter(({ id }) => id !== old?.id);
  const documents = [inputs["policy"], ...others.map((other) => other.inputs["policy"])];
  const size = documents.reduce<number>((sum, document) => sum + sizeOf(document), 0);
  if (size <= inlinePolicyLimit) return undefined;
  const words = `Maximum policy size of ${inlinePolicyLimit} bytes exceeded for role ${shown(inputs["role"])}`;
  return new CloudError("LimitExceeded", words);
}

/** IAM does not count white space. */
function sizeOf(document: unknown): number {
  return shown(document).replace(/\s/g, "").length;
}

/** Attaching twice is attaching once. */
export const rolePolicyAttachment: Kind = {
  type: types.rolePolicyAttachment,
  required: ["policyArn", "role"],
  immutable: ["policyArn", "role"],
  // The new attachment would be the old one, and go with it.
  deleteBeforeReplace: true,
  references: [toRole("Cannot delete entity, must detach all policies first.")],
  id: ({ inputs }) => `${shown(inputs["role"])}/${shown(inputs["policyArn"])}`,
  create: (asked) => refuseMissing(asked) ?? refuseAttachments(asked),
};

/** Which policies AWS itself has is not known here: any name is taken for one of them. */
function refuseMissing({ world, inputs }: Asked): CloudError | undefined {
  const policyArn = shown(inputs["policyArn"]);
  if (policyArn.startsWith(`arn:${world.account.partition}:iam::aws:policy/`)) return undefined;
  if (world.find(types.policy, { arn: policyArn }).length > 0) return undefined;
  return new CloudError("NoSuchEntity", `Policy ${policyArn} does not exist or is not attachable.`);
}

function refuseAttachments({ world, inputs: { role, policyArn } }: Asked): CloudError | undefined {
  const others = world
    .find(types.rolePolicyAttachment, { role })
    .filter(({ inputs }) => inputs["policyArn"] !== policyArn);
  if (others.length < quotas.policiesPerRole) return undefined;
  return new CloudError("LimitExceeded", `Cannot exceed quota for PoliciesPerRole: ${quotas.policiesPerRole}`);
}

export const policy: Kind = {
  type: types.policy,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 128 },
  defaults: { path: "/" },
  required: ["policy"],
  immutable: ["description", "name", "namePrefix", "path"],
  check: (inputs) => checkPolicy(inputs, "policy"),
  unique: ({ name }) =>
    uniqueName(name, `A policy called ${shown(name)} already exists. Duplicate names are not allowed.`),
  id: ({ world, inputs }, serial) => iamArn(world, `policy${textOf(inputs, "path") ?? "/"}${nameFor(inputs, serial)}`),
  computes: ["arn", "attachmentCount", "name", "policyId", "tagsAll"],
  recomputes: recomputesTags,
  computed: (asked, id, old) => ({
    ...besides(asked.inputs, { name: id.slice(id.lastIndexOf("/") + 1) }),
    tagsAll: allTags(asked),
    arn: id,
    policyId: old?.["policyId"] ?? `ANPA${shown(asked.world.objects.length).padStart(17, "0")}`,
  }),
  live: ({ id }, world) => ({ attachmentCount: world.find(types.rolePolicyAttachment, { policyArn: id }).length }),
  create: refuseManaged,
  update: refuseManaged,
  remove: refuseAttached,
};

function refuseManaged(asked: Asked): CloudError | undefined {
  const fault = refusePolicy(asked, "policy", "identity");
  if (fault || sizeOf(asked.inputs["policy"]) <= quotas.managedPolicySize) return fault;
  return new CloudError("LimitExceeded", `Cannot exceed quota for PolicySize: ${quotas.managedPolicySize}`);
}

function refuseAttached({ world, object }: AskedOf): CloudError | undefined {
  if (world.find(types.rolePolicyAttachment, { policyArn: object.id }).length === 0) return undefined;
  return new CloudError("DeleteConflict", "Cannot delete a policy attached to entities.");
}
