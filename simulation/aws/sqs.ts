import { CloudError } from "../cloud/errors";
import type { Request, ResourceModel } from "../cloud/model";
import { checkPolicy, policyError } from "./iam/policy-documents";
import { types } from "./types";
import { arn, computedDefaults, nameFor, regional, stringOf, uniqueName } from "./values";

/** A queue. SQS encrypts it with its own key unless it has a key of KMS. */
export const queue: ResourceModel = {
  type: types.queue,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 80 },
  defaults: {
    delaySeconds: 0,
    fifoQueue: false,
    messageRetentionSeconds: 345600,
    receiveWaitTimeSeconds: 0,
    visibilityTimeoutSeconds: 30,
  },
  unique: uniqueName(
    "QueueAlreadyExists",
    "A queue already exists with the same name and a different value for attribute",
  ),
  id: ({ cloud, inputs }, serial) => {
    const { region, accountId, partition } = cloud.account;
    const domain = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
    return `https://sqs.${region}.${domain}/${accountId}/${nameFor(inputs, serial)}`;
  },
  ...regional((request, id) => {
    const name = id.slice(id.lastIndexOf("/") + 1);
    return {
      ...computedDefaults(request.inputs, { name, sqsManagedSseEnabled: true }),
      arn: arn(request.cloud, "sqs", name),
      url: id,
    };
  }),
  validateCreate: rejectQueue,
  validateUpdate: rejectQueue,
  // The provider waits until the attributes, and the deletion, have spread.
  seconds: { create: 25, update: 25, delete: 60 },
};

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
function rejectQueue({ inputs }: Request): CloudError | undefined {
  const name = nameFor(inputs, "00000000");
  if (!/^[A-Za-z0-9_-]{1,80}(?<!\.fifo)$/.test(name) && inputs["fifoQueue"] !== true) {
    const message = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
    return new CloudError("InvalidParameterValue", message);
  }
  const days = Number(inputs["messageRetentionSeconds"]);
  if (days >= 60 && days <= 1209600) return undefined;
  return new CloudError("InvalidAttributeValue", "Invalid value for the parameter MessageRetentionPeriod.");
}

/** The policy of a queue. */
export const queuePolicy: ResourceModel = {
  type: types.queuePolicy,
  required: ["policy", "queueUrl"],
  check: (inputs) => checkPolicy(inputs, "policy"),
  references: [
    {
      path: "queueUrl",
      to: types.queue,
      missing: () => new CloudError("QueueDoesNotExist", "The specified queue does not exist."),
      onDelete: "cascade",
    },
  ],
  id: ({ inputs }) => stringOf(inputs["queueUrl"]),
  computed: ({ cloud, inputs }) => computedDefaults(inputs, { region: cloud.account.region }),
  validateCreate: rejectQueuePolicy,
  validateUpdate: rejectQueuePolicy,
  seconds: { create: 25, update: 25, delete: 25 },
};

function rejectQueuePolicy({ cloud, inputs }: Request): CloudError | undefined {
  const fault = policyError(inputs["policy"], "key", cloud);
  return fault === undefined
    ? undefined
    : new CloudError("InvalidAttributeValue", "Invalid value for the parameter Policy.");
}
