import { matching } from "../../core/checks";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { eachOnce } from "../checks";

const partition = "aws(?:-cn|-us-gov)?";
const principal = new RegExp(`^arn:${partition}:iam::\\d{12}:(?:role|user)/[\\w+=,.@/-]{1,512}$`);
const roleArn = new RegExp(`^arn:${partition}:iam::\\d{12}:role/[\\w+=,.@/-]{1,512}$`);
const session = new RegExp(`^arn:(${partition}):sts::(\\d{12}):assumed-role/([\\w+=,.@-]+)/.+$`);
const accountRoot = new RegExp(`^arn:${partition}:iam::\\d{12}:root$`);

/** ARNs of IAM roles and users that are to be cluster admins. An empty list is fine when it is given. */
export function adminsProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (got === undefined) {
    const why = "It says who is cluster admin besides the principal that creates the cluster, and there is no default.";
    const fix = `list the ARNs of IAM roles or users in ${path}, or set it to [] when the creator alone needs access`;
    return [{ code: "missing", path, got, why, fix }];
  }
  if (!Array.isArray(got)) {
    const fix = `set ${path} to a list such as ["arn:aws:iam::123456789012:role/lab-admin"]`;
    return [{ code: "wrong-type", path, got, why: "It must be a list of ARNs.", fix }];
  }
  return eachOnce(path, got, adminProblems);
}

function adminProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const problem = (code: Problem["code"], why: string, fix: string): Problem[] => [{ code, path, got, why, fix }];
  const example = `set ${path} to an ARN such as arn:aws:iam::123456789012:role/lab-admin`;

  if (typeof got !== "string") return problem("wrong-type", "It must be a text.", example);
  if (principal.test(got)) return [];
  const [, part, account, role] = session.exec(got) ?? [];
  if (role) {
    const fix =
      `write "arn:${part}:iam::${account}:role/${role}", with the role's path if it has one: ` +
      `aws iam get-role --role-name ${role} --query Role.Arn`;
    return problem("not-allowed", "It is one session of a role, and EKS gives access to the role itself.", fix);
  }
  if (accountRoot.test(got)) {
    const fix = "name the role or user you work with: aws sts get-caller-identity shows it";
    return problem("not-allowed", "It is the account itself, and EKS gives access to roles and users.", fix);
  }
  return problem("not-allowed", "It must be the ARN of an IAM role or user.", example);
}

export function roleArnProblems(path: string, got: unknown): Problem[] {
  const fix = `set ${path} to an ARN such as arn:aws:iam::123456789012:role/lab-admin`;
  return matching(path, got, roleArn, "the ARN of an IAM role", fix);
}

/**
 * `123456789012/role/lab-admin`: what tells an admin from the others, and stays when the list is put in another order.
 */
export function adminName(arn: string): string {
  return arn.split(":").slice(4).join("/");
}
