import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { adminName, adminsProblems } from "../../../../components/cluster/access/admins";
import { InputError } from "../../../../components/core/problems";

const problems = (got: unknown) => adminsProblems("admins", got);
const role = "arn:aws:iam::123456789012:role/lab-admin";
const session = "arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Admin_0123456789abcdef/alice@example.com";

test.for([
  ["none, when it is said", []],
  ["a role", [role]],
  ["a user", ["arn:aws:iam::123456789012:user/alice"]],
  ["a role with a path", ["arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Admin_0123"]],
  ["China and GovCloud", ["arn:aws-cn:iam::123456789012:role/a", "arn:aws-us-gov:iam::123456789012:role/a"]],
] as const)("fine: %s", ([, got]) => expect(problems(got)).toEqual([]));

test.for([
  ["nothing", undefined, "missing", "admins"],
  ["null", null, "wrong-type", "admins"],
  ["a text", role, "wrong-type", "admins"],
  ["an Output", pulumi.output([role]), "wrong-type", "admins"],
  ["an Output in the list", [pulumi.output(role)], "wrong-type", "admins[0]"],
  ["a number", [123456789012], "wrong-type", "admins[0]"],
  ["a name", ["lab-admin"], "not-allowed", "admins[0]"],
  ["everybody", ["*"], "not-allowed", "admins[0]"],
  ["a role of all accounts", ["arn:aws:iam::*:role/lab-admin"], "not-allowed", "admins[0]"],
  ["all roles", ["arn:aws:iam::123456789012:role/*"], "not-allowed", "admins[0]"],
  ["a short account id", ["arn:aws:iam::12345:role/lab-admin"], "not-allowed", "admins[0]"],
  ["another partition", ["arn:azure:iam::123456789012:role/lab-admin"], "not-allowed", "admins[0]"],
  ["a group", ["arn:aws:iam::123456789012:group/admins"], "not-allowed", "admins[0]"],
  ["a role without a name", ["arn:aws:iam::123456789012:role/"], "not-allowed", "admins[0]"],
  ["a session", [session], "not-allowed", "admins[0]"],
  ["the account", ["arn:aws:iam::123456789012:root"], "not-allowed", "admins[0]"],
  ["the same twice", [role, "arn:aws:iam::123456789012:user/a", role], "conflict", "admins[2]"],
] as const)("refused: %s", ([, got, code, path]) => {
  expect(problems(got).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("the messages say what to do", () => {
  const message = new InputError("stack gpu-lab", [
    ...problems(undefined),
    ...problems([session, "arn:aws:iam::123456789012:root", role, role]),
  ]).message;
  expect(message).toMatchInlineSnapshot(`
    "stack gpu-lab: 4 problems in the input
      admins: got nothing. It says who is cluster admin besides the principal that creates the cluster, and there is no default.
        fix: list the ARNs of IAM roles or users in admins, or set it to [] when the creator alone needs access
      admins[0]: got "arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Admin_0123456789abcdef/alice@example.com". It is one session of a role, and EKS gives access to the role itself.
        fix: write "arn:aws:iam::123456789012:role/AWSReservedSSO_Admin_0123456789abcdef", with the role's path if it has one: aws iam get-role --role-name AWSReservedSSO_Admin_0123456789abcdef --query Role.Arn
      admins[1]: got "arn:aws:iam::123456789012:root". It is the account itself, and EKS gives access to roles and users.
        fix: name the role or user you work with: aws sts get-caller-identity shows it
      admins[3]: got "arn:aws:iam::123456789012:role/lab-admin". It is admins[2] again.
        fix: remove admins[3]"
  `);
});

test("an admin's name tells accounts, roles and users apart", () => {
  const arns = [role, role.replace("role/", "user/"), role.replace("123456789012", "210987654321")];
  expect(arns.map(adminName)).toEqual([
    "123456789012/role/lab-admin",
    "123456789012/user/lab-admin",
    "210987654321/role/lab-admin",
  ]);
});
