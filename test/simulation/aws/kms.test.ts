import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { key as keyKind } from "../../../simulation/aws/kms";
import { types } from "../../../simulation/aws/types";
import { answer, newCloud, trust } from "./support";

const allow = (principal: unknown, action: unknown) =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: principal, Action: action, Resource: "*" }],
  });

const root = { AWS: "arn:aws:iam::123456789012:root" };

test("a key has an id, an ARN, and a policy that gives the account access", async () => {
  const key = await newCloud().create(types.key, { enableKeyRotation: true });
  expect(key.id).toBe("00000000-0000-4000-8000-000000000001");
  expect(key.computed).toEqual({
    region: "ap-northeast-2",
    tagsAll: {},
    description: "",
    multiRegion: false,
    policy: allow(root, "kms:*"),
    rotationPeriodInDays: 365,
    arn: `arn:aws:kms:ap-northeast-2:123456789012:key/${key.id}`,
    keyId: key.id,
  });
});

const lockedOut =
  "MalformedPolicyDocumentException: The new key policy will not allow you to update the key policy in the future.";

test.for([
  ["the account", { policy: allow(root, ["kms:*"]) }, "done"],
  ["the caller", { policy: allow({ AWS: "arn:aws:iam::123456789012:user/learner" }, "kms:PutKeyPolicy") }, "done"],
  ["everybody", { policy: allow("*", "kms:*") }, "done"],
  ["another account", { policy: allow({ AWS: "arn:aws:iam::210987654321:root" }, "kms:*") }, lockedOut],
  ["the account, which only reads", { policy: allow(root, "kms:DescribeKey") }, lockedOut],
  ["no principal, because the account is denied", { policy: allow(root, "kms:*").replace("Allow", "Deny") }, lockedOut],
  [
    "no principal, with bypassPolicyLockoutSafetyCheck",
    { policy: allow(root, "kms:DescribeKey"), bypassPolicyLockoutSafetyCheck: true },
    "done",
  ],
  [
    "a role that is not there",
    { policy: allow({ AWS: "arn:aws:iam::123456789012:role/none" }, "kms:*") },
    "MalformedPolicyDocumentException: Policy contains a statement with one or more invalid principals.",
  ],
  ["no JSON", { policy: "{" }, "MalformedPolicyDocumentException: This policy contains invalid Json"],
] as const)("a key for %s", async ([, inputs, expected]) => {
  const cloud = newCloud();
  expect(await answer(cloud.create(types.key, inputs))).toBe(expected);
  const { id } = await cloud.create(types.key, {});
  expect(await answer(cloud.update(types.key, id, inputs))).toBe(expected);
});

test("a key policy requires existing roles", async () => {
  const cloud = newCloud();
  const role = await cloud.create(types.role, { name: "cluster", assumeRolePolicy: trust });
  const policy = allow({ AWS: [root.AWS, role.computed["arn"]] }, "kms:*");
  expect(await answer(cloud.create(types.key, { policy }))).toBe("done");
});

test("the provider requires a deletion window of 7 to 30 days", () => {
  const failing = (deletionWindowInDays: unknown) =>
    keyKind.check?.({ deletionWindowInDays }).map(({ property }) => property);
  expect(failing(6)).toEqual(["deletionWindowInDays"]);
  expect(failing(31)).toEqual(["deletionWindowInDays"]);
  for (const days of [7, 30, undefined, unknownSentinel]) expect(failing(days)).toEqual([]);
});

test("a key is deleted without its alias", async () => {
  const cloud = newCloud();
  const key = await cloud.create(types.key, {});
  const alias = { name: "alias/eks/lab", targetKeyId: key.id };
  const made = await cloud.create(types.alias, alias);
  expect(made).toMatchObject({ id: "alias/eks/lab", computed: { targetKeyArn: key.computed["arn"] } });
  await cloud.delete(types.key, key.id);
  expect(cloud.find(types.key)).toEqual([]);
  const second = await cloud.create(types.key, {});
  expect(await answer(cloud.create(types.alias, { ...alias, targetKeyId: second.id }))).toBe(
    "AlreadyExistsException: An alias with the name arn:aws:kms:ap-northeast-2:123456789012:alias/eks/lab already exists",
  );
});

test("an alias can move to another key", async () => {
  const cloud = newCloud();
  const [first, second] = [await cloud.create(types.key, {}), await cloud.create(types.key, {})];
  const { id } = await cloud.create(types.alias, { name: "alias/lab", targetKeyId: first.id });
  const moved = await cloud.update(types.alias, id, { name: "alias/lab", targetKeyId: second.computed["arn"] });
  expect(moved.computed["targetKeyArn"]).toBe(second.computed["arn"]);
  const arn = "arn:aws:kms:ap-northeast-2:123456789012:key/none";
  for (const targetKeyId of ["none", arn]) {
    expect(await answer(cloud.update(types.alias, id, { name: "alias/lab", targetKeyId }))).toBe(
      `NotFoundException: Key '${arn}' does not exist`,
    );
  }
});

test.for([
  ["alias/lab", "done"],
  ["lab", "ValidationException: Invalid identifier"],
  ["alias/my lab", "ValidationException: Invalid identifier"],
  ["alias/aws/eks", "NotAuthorizedException: "],
] as const)("an alias called %s: %s", async ([name, expected]) => {
  const cloud = newCloud();
  const { id } = await cloud.create(types.key, {});
  expect(await answer(cloud.create(types.alias, { name, targetKeyId: id }))).toBe(expected);
});
