import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { launchTemplate } from "../../../simulation/aws/launch-template";
import { types } from "../../../simulation/aws/types";
import { answer, newCloud } from "./support";

const base = { namePrefix: "lab-gpu-", userData: "TUlNRQ==", tags: { Name: "gpu" }, updateDefaultVersion: true };

test("a new template has version 1 and a name from its prefix", async () => {
  const template = await newCloud().create(types.launchTemplate, base);
  expect(template.computed).toEqual({
    region: "ap-northeast-2",
    tagsAll: { Name: "gpu" },
    arn: `arn:aws:ec2:ap-northeast-2:123456789012:launch-template/${template.id}`,
    name: "lab-gpu-20260101000000000000000001",
    latestVersion: 1,
    defaultVersion: 1,
  });
});

test.for([
  ["user data", { userData: "bW9yZQ==" }, 2],
  ["a description", { description: "nodes" }, 2],
  ["the tags of what it starts", { tagSpecifications: [{ resourceType: "instance", tags: { a: "b" } }] }, 2],
  ["its own tags", { tags: { Name: "other" } }, 1],
  ["nothing", {}, 1],
] as const)("a change of %s leads to version %s", async ([, change, version]) => {
  const cloud = newCloud();
  const made = await cloud.create(types.launchTemplate, base);
  const changed = await cloud.update(types.launchTemplate, made.id, { ...base, ...change });
  expect(changed.computed).toMatchObject({
    latestVersion: version,
    defaultVersion: version,
    name: made.computed["name"],
  });
});

test("each change creates a version; the default version follows only if requested", async () => {
  const cloud = newCloud();
  const inputs = { name: "gpu", updateDefaultVersion: false };
  const { id } = await cloud.create(types.launchTemplate, inputs);
  await cloud.update(types.launchTemplate, id, { ...inputs, imageId: "ami-1" });
  const { computed } = await cloud.update(types.launchTemplate, id, { ...inputs, imageId: "ami-2" });
  expect(computed).toMatchObject({ latestVersion: 3, defaultVersion: 1 });
});

test.for([
  [["userData"], ["defaultVersion", "latestVersion"]],
  [["blockDeviceMappings[0].ebs.volumeSize"], ["defaultVersion", "latestVersion"]],
  [["tags.Name"], ["tagsAll", "defaultVersion", "latestVersion"]],
  [["description"], []],
  [["updateDefaultVersion"], []],
] as const)("in a preview of a change of %s, %s is unknown", ([changed, unknown]) => {
  expect(launchTemplate.recomputes?.(changed)).toEqual(unknown);
});

test.for([
  [
    "a name that is taken",
    { name: "taken" },
    "InvalidLaunchTemplateName.AlreadyExistsException: Launch template name already in use.",
  ],
  ["plain user data", { userData: "MIME-Version" }, "InvalidUserData.Malformed: Invalid BASE64 encoding of user data."],
  ["16 KiB of user data", { userData: Buffer.alloc(16_384).toString("base64") }, "done"],
  [
    "more of it",
    { userData: Buffer.alloc(16_385).toString("base64") },
    "InvalidParameterValue: User data is limited to 16384 bytes",
  ],
  ["a security group that is not there", { vpcSecurityGroupIds: ["sg-0"] }, "done"],
] as const)("%s", async ([, inputs, expected]) => {
  const cloud = newCloud();
  await cloud.create(types.launchTemplate, { name: "taken" });
  expect(await answer(cloud.create(types.launchTemplate, inputs))).toBe(expected);
});

test("an update checks the user data", async () => {
  const cloud = newCloud();
  const { id } = await cloud.create(types.launchTemplate, base);
  expect(await answer(cloud.update(types.launchTemplate, id, { ...base, userData: "?" }))).toContain("Malformed");
});

test("the provider checks the length of a name", () => {
  const names = (inputs: object) => launchTemplate.check?.({ ...inputs }).map(({ property }) => property);
  expect(names({ name: "gp" })).toEqual(["name"]);
  expect(names({ namePrefix: "x".repeat(100) })).toEqual(["namePrefix"]);
  expect(names({ name: unknownSentinel, namePrefix: "lab-" })).toEqual([]);
});
