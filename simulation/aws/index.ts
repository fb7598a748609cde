import type { Kind } from "../world/kind";
import type { ProviderFunction } from "../world/world";
import { autoscalingTag } from "./autoscaling";
import { accountFunctions } from "./functions/account-functions";
import { lookups } from "./functions/lookups";
import { iamKinds } from "./iam";
import { alias, key } from "./kms";
import { launchTemplate } from "./launch-template";
import { logGroup } from "./logs";
import { networkKinds } from "./network";
import { securityGroupKinds } from "./security-groups";

/**
 * What the simulation knows of AWS besides EKS. The codes and the words of refusals are those of the APIs; how long
 * things take is what they usually take.
 */
export const awsKinds: readonly Kind[] = [
  ...networkKinds,
  ...securityGroupKinds,
  launchTemplate,
  ...iamKinds,
  key,
  alias,
  logGroup,
  autoscalingTag,
];

/** Answers to what programs ask the provider `aws`. */
export const awsFunctions: Readonly<Record<string, ProviderFunction>> = { ...accountFunctions, ...lookups };
