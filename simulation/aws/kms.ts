import { isRecord } from "../../components/core/reader/records";
import { unknownSentinel } from "../../components/core/wire";
import { CloudError } from "../world/cloud-error";
import type { Asked, Kind, WorldObject } from "../world/kind";
import type { World } from "../world/world";
import { checkPolicy, policyFault } from "./iam/policy-rules";
import { types } from "./types";
import { arn, besides, iamArn, nameFor, recomputesTags, regional, regionalOutputs, shown, textOf } from "./values";

/** Deleting a key only sets its day; here it is gone at once, since nothing can use it until then. */
export const key: Kind = {
  type: types.key,
  defaults: {
    bypassPolicyLockoutSafetyCheck: false,
    customerMasterKeySpec: "SYMMETRIC_DEFAULT",
    enableKeyRotation: false,
    isEnabled: true,
    keyUsage: "ENCRYPT_DECRYPT",
  },
  immutable: ["customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion", "xksKeyId"],
  check: (inputs) => {
    const { deletionWindowInDays: days } = inputs;
    const reason = `expected deletion_window_in_days to be in the range (7 - 30), got ${shown(days)}`;
    const fits = days === undefined || days === unknownSentinel || (Number(days) >= 7 && Number(days) <= 30);
    return [...(fits ? [] : [{ property: "deletionWindowInDays", reason }]), ...checkPolicy(inputs, "policy")];
  },
  id: (_, serial) => `00000000-0000-4000-8000-${serial.slice(-12)}`,
  computes: [...regionalOutputs, "arn", "description", "keyId", "multiRegion", "policy", "rotationPeriodInDays"],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    ...besides(asked.inputs, {
      description: "",
      multiRegion: false,
      policy: JSON.stringify({ Version: "2012-10-17", Statement: [accountDecides(asked.world)] }),
      rotationPeriodInDays: asked.inputs["enableKeyRotation"] === true ? 365 : 0,
    }),
    arn: arn(asked.world, "kms", `key/${id}`),
    keyId: id,
  }),
  create: refuseKeyPolicy,
  update: refuseKeyPolicy,
  seconds: { create: 10, update: 10 },
};

function accountDecides(world: World) {
  return { Effect: "Allow", Principal: { AWS: iamArn(world, "root") }, Action: "kms:*", Resource: "*" };
}

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html */
function refuseKeyPolicy({ world, inputs }: Asked): CloudError | undefined {
  if (inputs["policy"] === undefined) return undefined;
  const fault = policyFault(inputs["policy"], "key", world);
  if (fault !== undefined) return new CloudError("MalformedPolicyDocumentException", fault);
  if (inputs["bypassPolicyLockoutSafetyCheck"] === true || canBeChanged(shown(inputs["policy"]), world))
    return undefined;
  const words = "The new key policy will not allow you to update the key policy in the future.";
  return new CloudError("MalformedPolicyDocumentException", words);
}

/** Whether the account or the caller may put another policy in its place. */
function canBeChanged(document: string, world: World): boolean {
  const { Statement: statements } = JSON.parse(document) as { Statement: unknown };
  const callers = ["*", world.account.accountId, iamArn(world, "root"), world.account.caller];
  return [statements].flat().some((statement) => {
    if (!isRecord(statement) || statement["Effect"] !== "Allow") return false;
    const principal = isRecord(statement["Principal"]) ? statement["Principal"]["AWS"] : statement["Principal"];
    const actions = [statement["Action"]].flat();
    return (
      [principal].flat().some((who) => callers.includes(shown(who))) &&
      actions.some((action) => ["*", "kms:*", "kms:Put*", "kms:PutKeyPolicy"].includes(shown(action)))
    );
  });
}

export const alias: Kind = {
  type: types.alias,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 256 },
  required: ["targetKeyId"],
  immutable: ["name", "namePrefix"],
  unique: ({ name }, { world }) => {
    if (name === undefined) return undefined;
    const words = `An alias with the name ${arn(world, "kms", shown(name))} already exists`;
    return { key: shown(name), error: new CloudError("AlreadyExistsException", words) };
  },
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  computes: ["arn", "name", "region", "targetKeyArn"],
  recomputes: (changed) => (changed.includes("targetKeyId") ? ["targetKeyArn"] : []),
  computed: ({ world, inputs }, id) => ({
    ...besides(inputs, { name: id, region: world.account.region }),
    arn: arn(world, "kms", id),
    targetKeyArn: targetOf(world, inputs["targetKeyId"])?.computed["arn"],
  }),
  create: (asked) => refuseAliasName(asked) ?? refuseTarget(asked),
  update: refuseTarget,
};

/** An alias is given its key by id or by ARN. */
function targetOf(world: World, target: unknown): WorldObject | undefined {
  return world.get(types.key, shown(target)) ?? world.find(types.key, { arn: target })[0];
}

function refuseAliasName({ inputs }: Asked): CloudError | undefined {
  const name = textOf(inputs, "name") ?? textOf(inputs, "namePrefix") ?? "";
  if (name.startsWith("alias/aws/")) return new CloudError("NotAuthorizedException", "");
  if (/^alias\/[\w/-]+$/.test(name)) return undefined;
  return new CloudError("ValidationException", "Invalid identifier");
}

function refuseTarget({ world, inputs }: Asked): CloudError | undefined {
  const target = shown(inputs["targetKeyId"]);
  if (targetOf(world, target)) return undefined;
  const wanted = target.startsWith("arn:") ? target : arn(world, "kms", `key/${target}`);
  return new CloudError("NotFoundException", `Key '${wanted}' does not exist`);
}
