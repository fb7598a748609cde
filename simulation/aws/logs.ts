import { unknownSentinel } from "../../components/core/wire";
import { CloudError } from "../world/cloud-error";
import type { Kind } from "../world/kind";
import { types } from "./types";
import { arn, besides, nameFor, recomputesTags, regional, regionalOutputs, shown, textOf } from "./values";

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
const retentions = [
  0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

export const logGroup: Kind = {
  type: types.logGroup,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 512 },
  defaults: { retentionInDays: 0, skipDestroy: false },
  immutable: ["logGroupClass", "name", "namePrefix"],
  check: ({ retentionInDays }) => {
    if (retentionInDays === unknownSentinel || retentions.includes(Number(retentionInDays ?? 0))) return [];
    const reason = `expected retention_in_days to be one of [${retentions.join(" ")}], got ${shown(retentionInDays)}`;
    return [{ property: "retentionInDays", reason }];
  },
  unique: ({ name }) =>
    name === undefined
      ? undefined
      : {
          key: shown(name),
          error: new CloudError("ResourceAlreadyExistsException", "The specified log group already exists"),
        },
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  computes: [...regionalOutputs, "arn", "logGroupClass", "name"],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    ...besides(asked.inputs, { name: id, logGroupClass: "STANDARD" }),
    arn: arn(asked.world, "logs", `log-group:${id}`),
  }),
  create: ({ inputs }) => {
    const name = textOf(inputs, "name") ?? textOf(inputs, "namePrefix") ?? "";
    if (/^[.\-_/#A-Za-z0-9]{0,512}$/.test(name) && !name.startsWith("aws/")) return undefined;
    const constraint = String.raw`Member must satisfy regular expression pattern: [\.\-_/#A-Za-z0-9]+`;
    const words = `1 validation error detected: Value '${name}' at 'logGroupName' failed to satisfy constraint: ${constraint}`;
    return new CloudError("InvalidParameterException", words);
  },
};
