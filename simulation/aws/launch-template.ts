import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import type { Request, CheckFailure, ResourceModel } from "../cloud/model";
import { unknownSentinel } from "../../components/core/wire";
import { types } from "./types";
import {
  arn,
  computedDefaults,
  ec2Id,
  nameFor,
  recomputesTags,
  regionalOutputs,
  stringAt,
  topLevelKey,
  uniqueName,
} from "./values";

/** Inputs of the template itself. A change of any other input creates a new version. */
const unversionedInputs = ["defaultVersion", "name", "namePrefix", "region", "tags", "updateDefaultVersion"];

/** Inputs whose change leaves the latest version known in a preview. A change of the tags does not. */
const versionKeepingInputs = ["defaultVersion", "description", "name", "namePrefix", "updateDefaultVersion"];

/** Maximum size of the decoded user data in bytes. @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html */
const userDataLimit = 16_384;

export const launchTemplate: ResourceModel = {
  type: types.launchTemplate,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 128 },
  check: (inputs) => [...checkLength(inputs, "name", 128), ...checkLength(inputs, "namePrefix", 99)],
  unique: uniqueName("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use."),
  id: ec2Id("lt"),
  recomputes: (changed) => [
    ...recomputesTags(changed),
    ...(changed.some((path) => !versionKeepingInputs.includes(topLevelKey(path)))
      ? ["defaultVersion", "latestVersion"]
      : []),
  ],
  computed: (request, id, old) => {
    const latestVersion = latestVersionOf(request, id, old);
    const { updateDefaultVersion } = request.inputs;
    const defaultVersion = updateDefaultVersion === true ? latestVersion : (old?.["defaultVersion"] ?? 1);
    return {
      ...regionalOutputs(request),
      ...computedDefaults(request.inputs, { defaultVersion, name: nameFor(request.inputs, id) }),
      arn: arn(request.cloud, "ec2", `launch-template/${id}`),
      latestVersion,
    };
  },
  validateCreate: rejectUserData,
  validateUpdate: rejectUserData,
};

function checkLength(inputs: Properties, property: string, longest: number): CheckFailure[] {
  const text = stringAt(inputs, property);
  if (text === undefined || text === unknownSentinel || (text.length >= 3 && text.length <= longest)) return [];
  return [{ property, reason: `expected length of ${property} to be in the range (3 - ${longest}), got ${text}` }];
}

function latestVersionOf({ cloud, inputs }: Request, id: string, old: Properties | undefined): number {
  if (!old) return 1;
  const before = cloud.get(types.launchTemplate, id)?.inputs ?? {};
  const latest = Number(old["latestVersion"]);
  return isDeepStrictEqual(dataOf(before), dataOf(inputs)) ? latest : latest + 1;
}

function dataOf(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !unversionedInputs.includes(key)));
}

/** EC2 checks the security groups, images and keys of a template only when it launches an instance. */
function rejectUserData({ inputs }: Request): CloudError | undefined {
  const userData = stringAt(inputs, "userData");
  if (userData === undefined) return undefined;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(userData)) {
    return new CloudError("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
  }
  if (Buffer.byteLength(userData, "base64") <= userDataLimit) return undefined;
  return new CloudError("InvalidParameterValue", `User data is limited to ${userDataLimit} bytes`);
}
