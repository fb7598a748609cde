import { describe, expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { checkPolicy, policyError } from "../../../simulation/aws/iam/policy-documents";
import { awsModels } from "../../../simulation/aws/models";
import { types } from "../../../simulation/aws/types";
import { answer, newCloud, permission, trust } from "./support";

const awsPolicy = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy";

describe("roles", () => {
  test("a role's id is its name", async () => {
    const cloud = newCloud();
    const role = await cloud.create(types.role, { namePrefix: "lab-gpu-", assumeRolePolicy: trust, path: "/labs/" });
    expect(role.id).toBe("lab-gpu-20260101000000000000000001");
    expect(role.computed).toEqual({
      name: role.id,
      tagsAll: {},
      arn: `arn:aws:iam::123456789012:role/labs/${role.id}`,
      uniqueId: "AROA00000000000000000",
    });
    const changed = await cloud.update(types.role, role.id, { ...role.inputs, description: "nodes" });
    expect(changed.computed).toEqual(role.computed);
  });

  test.for([
    [{ name: "other" }, "done"],
    [{ name: "nodes" }, "EntityAlreadyExists: Role with name nodes already exists."],
    [
      { namePrefix: "x".repeat(39) },
      `ValidationError: 1 validation error detected: Value '${"x".repeat(39)}20260101000000000000000000' at 'roleName' failed to satisfy constraint: Member must have length less than or equal to 64`,
    ],
    [
      { name: "my nodes" },
      String.raw`ValidationError: 1 validation error detected: Value 'my nodes' at 'roleName' failed to satisfy constraint: Member must satisfy regular expression pattern: [\w+=,.@-]+`,
    ],
    [{ name: "other", assumeRolePolicy: "{" }, "MalformedPolicyDocument: This policy contains invalid Json"],
    [{ name: "other", assumeRolePolicy: permission }, "MalformedPolicyDocument: Missing required field Principal"],
  ] as const)("%o: %s", async ([inputs, expected]) => {
    const cloud = newCloud();
    await cloud.create(types.role, { name: "nodes", assumeRolePolicy: trust });
    expect(await answer(cloud.create(types.role, { assumeRolePolicy: trust, ...inputs }))).toBe(expected);
  });

  test.for([
    [types.rolePolicyAttachment, { policyArn: awsPolicy }, "Cannot delete entity, must detach all policies first."],
    [types.rolePolicy, { name: "own", policy: permission }, "Cannot delete entity, must delete policies first."],
  ] as const)("a %s prevents the deletion of its role without forceDetachPolicies", async ([type, inputs, words]) => {
    const cloud = newCloud();
    const role = { name: "nodes", assumeRolePolicy: trust, forceDetachPolicies: false };
    await cloud.create(types.role, role);
    await cloud.create(type, { role: "nodes", ...inputs });
    expect(await answer(cloud.delete(types.role, "nodes"))).toBe(`DeleteConflict: ${words}`);
    await cloud.update(types.role, "nodes", { ...role, forceDetachPolicies: true });
    expect(await answer(cloud.delete(types.role, "nodes"))).toBe("done");
    expect(cloud.objects).toEqual([]);
  });

  test("an update is validated", async () => {
    const cloud = newCloud();
    await cloud.create(types.role, { name: "nodes", assumeRolePolicy: trust });
    expect(await answer(cloud.update(types.role, "nodes", { name: "nodes", assumeRolePolicy: "[]" }))).toContain(
      "MalformedPolicyDocument",
    );
  });
});

describe("policies of roles", () => {
  async function withRole() {
    const cloud = newCloud();
    await cloud.create(types.role, { name: "nodes", assumeRolePolicy: trust });
    return cloud;
  }

  test.for([types.rolePolicyAttachment, types.rolePolicy])("%s requires its role", async (type) => {
    const cloud = await withRole();
    const create = cloud.create(type, { role: "none", policyArn: awsPolicy, policy: permission });
    expect(await answer(create)).toBe("NoSuchEntity: The role with name none cannot be found.");
  });

  test("an attachment requires an AWS managed policy or a policy of the account", async () => {
    const cloud = await withRole();
    const attach = (policyArn: string) =>
      answer(cloud.create(types.rolePolicyAttachment, { role: "nodes", policyArn }));
    const missing = (arn: string) => `NoSuchEntity: Policy ${arn} does not exist or is not attachable.`;
    const own = "arn:aws:iam::123456789012:policy/own";
    const elsewhere = awsPolicy.replace("arn:aws:", "arn:aws-cn:");
    expect(await attach(awsPolicy)).toBe("done");
    expect(await attach(own)).toBe(missing(own));
    expect(await attach(elsewhere)).toBe(missing(elsewhere));
    await cloud.create(types.policy, { name: "own", policy: permission });
    expect(await attach(own)).toBe("done");
  });

  test("a role has at most ten attachments; attaching a policy twice counts once", async () => {
    const cloud = await withRole();
    const attach = (name: number) =>
      answer(
        cloud.create(types.rolePolicyAttachment, { role: "nodes", policyArn: `arn:aws:iam::aws:policy/P${name}` }),
      );
    for (let index = 0; index < 10; index += 1) await attach(index);
    expect(await attach(10)).toBe("LimitExceeded: Cannot exceed quota for PoliciesPerRole: 10");
    expect(await attach(3)).toBe("done");
    expect(cloud.find(types.rolePolicyAttachment).length).toBe(10);
  });

  test("the inline policies of a role have at most 10,240 characters without white space", async () => {
    const cloud = await withRole();
    const sized = (size: number) => {
      const [head = "", tail = ""] = permission.split("*");
      return `${head}${"r".repeat(size - head.length - tail.length)}${tail}`;
    };
    const create = (name: string, policy: string) =>
      answer(cloud.create(types.rolePolicy, { role: "nodes", name, policy }));
    expect(await create("one", `${sized(10_000)}\n\n`)).toBe("done");
    expect(await create("two", sized(241))).toBe(
      "LimitExceeded: Maximum policy size of 10240 bytes exceeded for role nodes",
    );
    expect(await create("two", sized(240))).toBe("done");
    const change = cloud.update(types.rolePolicy, "nodes:one", { role: "nodes", name: "one", policy: sized(10_000) });
    expect(await answer(change)).toBe("done");
  });

  test("an inline policy is validated and named", async () => {
    const cloud = await withRole();
    expect(await answer(cloud.create(types.rolePolicy, { role: "nodes", policy: trust }))).toBe(
      "MalformedPolicyDocument: Policy document should not specify a principal.",
    );
    const { id, computed } = await cloud.create(types.rolePolicy, {
      role: "nodes",
      namePrefix: "a:b-",
      policy: permission,
    });
    expect(id).toBe(`nodes:${String(computed["name"])}`);
    expect(computed["name"]).toBe("a:b-20260101000000000000000002");
  });
});

describe("managed policies", () => {
  test("a managed policy has an ARN and a unique name, and cannot be deleted while it is attached", async () => {
    const cloud = newCloud();
    const policy = await cloud.create(types.policy, { name: "own", policy: permission });
    expect(policy.computed).toMatchObject({ arn: "arn:aws:iam::123456789012:policy/own" });
    expect(await answer(cloud.create(types.policy, { name: "own", policy: permission }))).toBe(
      "EntityAlreadyExists: A policy called own already exists. Duplicate names are not allowed.",
    );
    await cloud.create(types.role, { name: "nodes", assumeRolePolicy: trust });
    const attachment = await cloud.create(types.rolePolicyAttachment, { role: "nodes", policyArn: policy.id });
    expect(await answer(cloud.delete(types.policy, policy.id))).toBe(
      "DeleteConflict: Cannot delete a policy attached to entities.",
    );
    await cloud.delete(types.rolePolicyAttachment, attachment.id);
    expect(await answer(cloud.delete(types.policy, policy.id))).toBe("done");
  });

  test("a managed policy has at most 6,144 characters", async () => {
    const long = permission.replace("*", "r".repeat(6144));
    expect(await answer(newCloud().create(types.policy, { name: "own", policy: long }))).toBe(
      "LimitExceeded: Cannot exceed quota for PolicySize: 6144",
    );
  });
});

describe("policy documents", () => {
  const statement = { Effect: "Allow", Action: "s3:*", Resource: "*" };
  const document = (...statements: object[]) => JSON.stringify({ Version: "2012-10-17", Statement: statements });
  const trusting = { Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "ec2.amazonaws.com" } };

  test.for([
    ["one statement", "identity", document(statement), undefined],
    ["a statement that is no list", "identity", JSON.stringify({ Statement: statement }), undefined],
    ["no text", "identity", { Statement: [statement] }, "This policy contains invalid Json"],
    ["no JSON", "identity", "{", "This policy contains invalid Json"],
    ["no object", "identity", "[]", "This policy contains invalid Json"],
    ["no statement", "identity", "{}", "Syntax errors in policy."],
    ["an empty list", "identity", document(), "Syntax errors in policy."],
    ["a version", "identity", JSON.stringify({ Version: "2020-01-01", Statement: [] }), "Syntax errors in policy."],
    ["no effect", "identity", document({ ...statement, Effect: undefined }), "Syntax errors in policy."],
    ["no action", "identity", document({ ...statement, Action: undefined }), "Policy statement must contain actions."],
    ["resource", "identity", document({ Effect: "Allow", Action: "s3:*" }), "Policy statement must contain resources."],
    [
      "principal",
      "identity",
      document({ ...statement, Principal: "*" }),
      "Policy document should not specify a principal.",
    ],
    [
      "an id twice",
      "identity",
      document({ ...statement, Sid: "A" }, { ...statement, Sid: "A" }),
      "Statement IDs (SID) in a single policy must be unique.",
    ],
    [
      "an id with a hyphen",
      "identity",
      document({ ...statement, Sid: "a-b" }),
      "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*",
    ],
    ["trust in a service", "trust", document(trusting), undefined],
    ["trust with a resource", "trust", document({ ...trusting, Resource: "*" }), "Has prohibited field Resource"],
    [
      "a trust policy without a principal",
      "trust",
      document({ Effect: "Allow", Action: "sts:AssumeRole" }),
      "Missing required field Principal",
    ],
    [
      "trust in a role that is not there",
      "trust",
      document({ ...trusting, Principal: { AWS: ["arn:aws:iam::123456789012:role/none"] } }),
      'Invalid principal in policy: "AWS":"arn:aws:iam::123456789012:role/none"',
    ],
    [
      "trust in a role of another account",
      "trust",
      document({ ...trusting, Principal: { AWS: "arn:aws:iam::210987654321:role/none" } }),
      undefined,
    ],
    [
      "a key for a role that is not there",
      "key",
      document({ ...statement, Principal: { AWS: "arn:aws:iam::123456789012:role/none" } }),
      "Policy contains a statement with one or more invalid principals.",
    ],
  ] as const)("%s (%s)", ([, use, policy, expected]) => {
    expect(policyError(policy, use, newCloud())).toBe(expected);
  });

  test.for([
    [types.role, "assumeRolePolicy"],
    [types.rolePolicy, "policy"],
    [types.policy, "policy"],
  ] as const)("the provider's check rejects a %s whose %s is not JSON", ([type, property]) => {
    const check = awsModels.find((model) => model.type === type)?.check;
    const reason = `"${property}" contains an invalid JSON policy: not a JSON object`;
    expect(check?.({ [property]: "{" })).toEqual([{ property, reason }]);
    expect(check?.({ [property]: permission })).toEqual([]);
  });

  test("an unknown or missing policy is not checked", () => {
    for (const policy of [unknownSentinel, undefined]) expect(checkPolicy({ policy }, "policy")).toEqual([]);
  });
});
