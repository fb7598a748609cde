import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { adminArns, adminName } from "../../../../components/cluster/access/admins";
import { problemsIn } from "../../../../components/core/schema";

const problems = (got: unknown) => problemsIn(adminArns(), got, "admins");
const role = "arn:aws:iam::123456789012:role/lab-admin";
const session = "arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Admin_0123456789abcdef/alice@example.com";

test.for([
  ["none", []],
  ["a role", [role]],
  ["a user", ["arn:aws:iam::123456789012:user/alice"]],
  ["a role with a path", ["arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Admin_0123"]],
  ["China and GovCloud", ["arn:aws-cn:iam::123456789012:role/a", "arn:aws-us-gov:iam::123456789012:role/a"]],
] as const)("accepted: %s", ([, got]) => expect(problems(got)).toEqual([]));

const wrong = [
  ["nothing", undefined, "missing", "admins"],
  ["null", null, "wrong-type", "admins"],
  ["a string", role, "wrong-type", "admins"],
  ["an Output", pulumi.output([role]), "wrong-type", "admins"],
  ["an Output in the list", [pulumi.output(role)], "wrong-type", "admins[0]"],
  ["a number", [123456789012], "wrong-type", "admins[0]"],
  ["a name", ["lab-admin"], "not-allowed", "admins[0]"],
  ["everyone", ["*"], "not-allowed", "admins[0]"],
  ["a role of all accounts", ["arn:aws:iam::*:role/lab-admin"], "not-allowed", "admins[0]"],
  ["all roles", ["arn:aws:iam::123456789012:role/*"], "not-allowed", "admins[0]"],
  ["a short account id", ["arn:aws:iam::12345:role/lab-admin"], "not-allowed", "admins[0]"],
  ["another partition", ["arn:azure:iam::123456789012:role/lab-admin"], "not-allowed", "admins[0]"],
  ["a group", ["arn:aws:iam::123456789012:group/admins"], "not-allowed", "admins[0]"],
  ["a role without a name", ["arn:aws:iam::123456789012:role/"], "not-allowed", "admins[0]"],
  ["a session", [session], "not-allowed", "admins[0]"],
  ["the account", ["arn:aws:iam::123456789012:root"], "not-allowed", "admins[0]"],
  ["the same twice", [role, "arn:aws:iam::123456789012:user/a", role], "conflict", "admins[2]"],
] as const;

test.for(wrong)("rejected: %s", ([, got, code, path]) => {
  expect(problems(got).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("the messages", () => {
  const found = wrong.flatMap(([, got]) => problems(got));
  expect(found.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
});

test("an admin's name differs by account, role and user", () => {
  const arns = [role, role.replace("role/", "user/"), role.replace("123456789012", "210987654321")];
  expect(arns.map(adminName)).toEqual([
    "123456789012/role/lab-admin",
    "123456789012/user/lab-admin",
    "210987654321/role/lab-admin",
  ]);
});
