import { isRecord } from "../../components/core/reader/records";
import { unknownSentinel } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import type { Request, ResourceModel, CloudObject, CloudState } from "../cloud/model";
import { checkPolicy, policyError } from "./iam/policy-documents";
import { types } from "./types";
import { arn, computedDefaults, iamArn, nameFor, regional, stringAt, stringOf, uniqueName } from "./values";

/** A KMS key. AWS schedules its deletion; the simulation deletes it at once, because a scheduled key cannot be used. */
export const key: ResourceModel = {
  type: types.key,
  defaults: {
    bypassPolicyLockoutSafetyCheck: false,
    customerMasterKeySpec: "SYMMETRIC_DEFAULT",
    enableKeyRotation: false,
    isEnabled: true,
    keyUsage: "ENCRYPT_DECRYPT",
  },
  check: (inputs) => {
    const { deletionWindowInDays: days } = inputs;
    const reason = `expected deletion_window_in_days to be in the range (7 - 30), got ${stringOf(days)}`;
    const fits = days === undefined || days === unknownSentinel || (Number(days) >= 7 && Number(days) <= 30);
    return [...(fits ? [] : [{ property: "deletionWindowInDays", reason }]), ...checkPolicy(inputs, "policy")];
  },
  id: (_, serial) => `00000000-0000-4000-8000-${serial.slice(-12)}`,
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, {
      description: "",
      multiRegion: false,
      policy: JSON.stringify({ Version: "2012-10-17", Statement: [accountStatement(request.cloud)] }),
      rotationPeriodInDays: request.inputs["enableKeyRotation"] === true ? 365 : 0,
    }),
    arn: arn(request.cloud, "kms", `key/${id}`),
    keyId: id,
  })),
  validateCreate: rejectKeyPolicy,
  validateUpdate: rejectKeyPolicy,
  seconds: { create: 10, update: 10 },
};

function accountStatement(cloud: CloudState) {
  return { Effect: "Allow", Principal: { AWS: iamArn(cloud, "root") }, Action: "kms:*", Resource: "*" };
}

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html */
function rejectKeyPolicy({ cloud, inputs }: Request): CloudError | undefined {
  if (inputs["policy"] === undefined) return undefined;
  const fault = policyError(inputs["policy"], "key", cloud);
  if (fault !== undefined) return new CloudError("MalformedPolicyDocumentException", fault);
  if (inputs["bypassPolicyLockoutSafetyCheck"] === true || canChangePolicy(stringOf(inputs["policy"]), cloud))
    return undefined;
  const message = "The new key policy will not allow you to update the key policy in the future.";
  return new CloudError("MalformedPolicyDocumentException", message);
}

/** Whether a key policy allows the account or the caller to change it. */
function canChangePolicy(document: string, cloud: CloudState): boolean {
  const { Statement: statements } = JSON.parse(document) as { Statement: unknown };
  const callers = ["*", cloud.account.accountId, iamArn(cloud, "root"), cloud.account.caller];
  return [statements].flat().some((statement) => {
    if (!isRecord(statement) || statement["Effect"] !== "Allow") return false;
    const principal = isRecord(statement["Principal"]) ? statement["Principal"]["AWS"] : statement["Principal"];
    const actions = [statement["Action"]].flat();
    return (
      [principal].flat().some((who) => callers.includes(stringOf(who))) &&
      actions.some((action) => ["*", "kms:*", "kms:Put*", "kms:PutKeyPolicy"].includes(stringOf(action)))
    );
  });
}

export const alias: ResourceModel = {
  type: types.alias,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 256 },
  required: ["targetKeyId"],
  unique: uniqueName("AlreadyExistsException", (name, { cloud }) => {
    return `An alias with the name ${arn(cloud, "kms", name)} already exists`;
  }),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  recomputes: (changed) => (changed.includes("targetKeyId") ? ["targetKeyArn"] : []),
  computed: ({ cloud, inputs }, id) => ({
    ...computedDefaults(inputs, { name: id, region: cloud.account.region }),
    arn: arn(cloud, "kms", id),
    targetKeyArn: targetKey(cloud, inputs["targetKeyId"])?.computed["arn"],
  }),
  validateCreate: (request) => rejectAliasName(request) ?? rejectTarget(request),
  validateUpdate: rejectTarget,
};

/** The key of an alias, by id or ARN. */
function targetKey(cloud: CloudState, target: unknown): CloudObject | undefined {
  return cloud.get(types.key, stringOf(target)) ?? cloud.find(types.key, { arn: target })[0];
}

function rejectAliasName({ inputs }: Request): CloudError | undefined {
  const name = stringAt(inputs, "name") ?? stringAt(inputs, "namePrefix") ?? "";
  if (name.startsWith("alias/aws/")) return new CloudError("NotAuthorizedException", "");
  if (/^alias\/[\w/-]+$/.test(name)) return undefined;
  return new CloudError("ValidationException", "Invalid identifier");
}

function rejectTarget({ cloud, inputs }: Request): CloudError | undefined {
  const target = stringOf(inputs["targetKeyId"]);
  if (targetKey(cloud, target)) return undefined;
  const wanted = target.startsWith("arn:") ? target : arn(cloud, "kms", `key/${target}`);
  return new CloudError("NotFoundException", `Key '${wanted}' does not exist`);
}
