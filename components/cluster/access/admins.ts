import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";

const partition = "aws(?:-cn|-us-gov)?";
const principal = new RegExp(`^arn:${partition}:iam::\\d{12}:(?:role|user)/[\\w+=,.@/-]{1,512}$`);
const role = new RegExp(`^arn:${partition}:iam::\\d{12}:role/[\\w+=,.@/-]{1,512}$`);
const session = new RegExp(`^arn:(${partition}):sts::(\\d{12}):assumed-role/([\\w+=,.@-]+)/.+$`);
const accountRoot = new RegExp(`^arn:${partition}:iam::\\d{12}:root$`);

const example = "arn:aws:iam::123456789012:role/lab-admin";
const exampleFix = `set {path} to an ARN such as ${example}`;

/** ARNs of the IAM roles and users that become cluster admins. */
export function adminArns() {
  const admin = v.pipe(s.text(exampleFix), s.check(adminProblems));
  return s.list(admin, `["${example}"], or to [] when only the creator needs access`, { distinct: true });
}

function adminProblems(got: string, path: string): Problem[] {
  if (principal.test(got)) return [];
  const problem = (why: string, fix: string): Problem[] => [{ code: "not-allowed", path, got, why, fix }];
  const [, part, account, roleName] = session.exec(got) ?? [];
  if (roleName) {
    const fix =
      `write "arn:${part}:iam::${account}:role/${roleName}", with the role's path if it has one: ` +
      `aws iam get-role --role-name ${roleName} --query Role.Arn`;
    return problem("Must be the role, not one of its sessions: EKS grants access to roles.", fix);
  }
  if (accountRoot.test(got)) {
    const fix = "set it to the role or user that you work with: aws sts get-caller-identity shows it";
    return problem("Must be a role or user, not the account: EKS grants access to roles and users.", fix);
  }
  return problem("Must be the ARN of an IAM role or user.", exampleFix.replace("{path}", path));
}

/** The ARN of an IAM role. */
export function roleArn() {
  return s.matching(role, "the ARN of an IAM role", exampleFix);
}

/** `123456789012/role/lab-admin`: identifies an admin, regardless of the order of the list. */
export function adminName(arn: string): string {
  return arn.split(":").slice(4).join("/");
}
