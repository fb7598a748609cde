import type { types } from "@pulumi/aws";
import type { Problem } from "../../components";
import { roleArn } from "../../components/cluster/access/admins";
import { parseJson } from "../../components/core/json-text";
import { step } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { anything, optional, parse, section, type Schema } from "../../components/core/schema";

/**
 * A role of the AWS provider. Only its ARN is read here.
 * @see https://www.pulumi.com/registry/packages/aws/installation-configuration/
 */
const role = section({
  roleArn: optional(roleArn()),
  duration: optional(anything()),
  externalId: optional(anything()),
  policy: optional(anything()),
  policyArns: optional(anything()),
  sessionName: optional(anything()),
  sourceIdentity: optional(anything()),
  tags: optional(anything()),
  transitiveTagKeys: optional(anything()),
} satisfies Record<keyof types.input.ProviderAssumeRole, Schema>);

/** The role that the AWS provider assumes last, and every problem of its roles. */
interface AssumedRoles {
  readonly last: string | undefined;
  readonly problems: readonly Problem[];
}

/** Reads `aws:assumeRoles`, a chain of roles, and `aws:assumeRole`, its older form for one role. */
export function assumedRoles(all: Readonly<Record<string, string>>): AssumedRoles {
  const single = rolesIn("aws:assumeRole", all["aws:assumeRole"]);
  const chain = rolesIn("aws:assumeRoles", all["aws:assumeRoles"]);
  return { last: chain.last ?? single.last, problems: [...single.problems, ...chain.problems] };
}

function rolesIn(path: string, got: string | undefined): AssumedRoles {
  if (got === undefined) return { last: undefined, problems: [] };
  const value = parseJson(got);
  const roles: unknown[] = Array.isArray(value) ? value : [value];
  if (!roles.every(isRecord)) {
    const first = path === "aws:assumeRole" ? `${path}.roleArn` : `'${path}[0].roleArn'`;
    const why = "Must be an object with the role's ARN in roleArn, or a list of such objects.";
    const fix = `pulumi config rm ${path} && pulumi config set --path ${first} arn:aws:iam::ACCOUNT:role/NAME`;
    return { last: undefined, problems: [{ code: "wrong-type", path, got, why, fix }] };
  }
  const parsed = roles.map((one, index) => parse(role, one, Array.isArray(value) ? step(path, index) : path));
  return { last: parsed.at(-1)?.value?.roleArn, problems: parsed.flatMap(({ problems }) => problems) };
}
