import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../components/core/wire";
import { CloudError } from "../world/cloud-error";
import type { Asked, CheckFailure, Kind } from "../world/kind";
import { unknownSentinel } from "../../components/core/wire";
import { types } from "./types";
import {
  arn,
  besides,
  ec2Id,
  nameFor,
  recomputesTags,
  regional,
  regionalOutputs,
  shown,
  textOf,
  topOf,
} from "./values";

/** Inputs of the template itself; all others are part of a version, and a change of them makes a new one. */
const ofTemplate = ["defaultVersion", "name", "namePrefix", "region", "tags", "updateDefaultVersion"];

/** Inputs whose change leaves the latest version known in a preview; a change of the tags does not. */
const keepsVersion = ["defaultVersion", "description", "name", "namePrefix", "updateDefaultVersion"];

/** Bytes of user data before they are encoded. @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html */
const largestUserData = 16_384;

export const launchTemplate: Kind = {
  type: types.launchTemplate,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 128 },
  immutable: ["name", "namePrefix"],
  check: (inputs) => [...checkLength(inputs, "name", 128), ...checkLength(inputs, "namePrefix", 99)],
  unique: ({ name }) =>
    name === undefined
      ? undefined
      : {
          key: shown(name),
          error: new CloudError(
            "InvalidLaunchTemplateName.AlreadyExistsException",
            "Launch template name already in use.",
          ),
        },
  id: ec2Id("lt"),
  computes: [...regionalOutputs, "arn", "defaultVersion", "latestVersion", "name"],
  recomputes: (changed) => [
    ...recomputesTags(changed),
    ...(changed.some((path) => !keepsVersion.includes(topOf(path))) ? ["defaultVersion", "latestVersion"] : []),
  ],
  computed: (asked, id, old) => {
    const latestVersion = versionOf(asked, id, old);
    const { updateDefaultVersion } = asked.inputs;
    const defaultVersion = updateDefaultVersion === true ? latestVersion : (old?.["defaultVersion"] ?? 1);
    return {
      ...regional(asked),
      ...besides(asked.inputs, { defaultVersion, name: nameFor(asked.inputs, id) }),
      arn: arn(asked.world, "ec2", `launch-template/${id}`),
      latestVersion,
    };
  },
  create: refuseUserData,
  update: refuseUserData,
};

function checkLength(inputs: Properties, property: string, longest: number): CheckFailure[] {
  const text = textOf(inputs, property);
  if (text === undefined || text === unknownSentinel || (text.length >= 3 && text.length <= longest)) return [];
  return [{ property, reason: `expected length of ${property} to be in the range (3 - ${longest}), got ${text}` }];
}

function versionOf({ world, inputs }: Asked, id: string, old: Properties | undefined): number {
  if (!old) return 1;
  const before = world.get(types.launchTemplate, id)?.inputs ?? {};
  const latest = Number(old["latestVersion"]);
  return isDeepStrictEqual(dataOf(before), dataOf(inputs)) ? latest : latest + 1;
}

function dataOf(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !ofTemplate.includes(key)));
}

/** EC2 does not look for the security groups, images and keys that a template names before something starts from it. */
function refuseUserData({ inputs }: Asked): CloudError | undefined {
  const userData = textOf(inputs, "userData");
  if (userData === undefined) return undefined;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(userData)) {
    return new CloudError("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
  }
  if (Buffer.byteLength(userData, "base64") <= largestUserData) return undefined;
  return new CloudError("InvalidParameterValue", `User data is limited to ${largestUserData} bytes`);
}
