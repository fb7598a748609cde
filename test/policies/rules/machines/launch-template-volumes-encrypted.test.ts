import { expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { launchTemplateVolumesEncrypted as rule } from "../../../../policies/rules/machines/launch-template-volumes-encrypted";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const mapped = (...encrypted: unknown[]) => ({
  blockDeviceMappings: encrypted.map((one, index) => ({ deviceName: `/dev/xvd${index}`, ebs: { encrypted: one } })),
});
const copied = (snapshotId: unknown, encrypted?: unknown) => ({
  blockDeviceMappings: [{ deviceName: "/dev/xvdb", ebs: { snapshotId, encrypted, volumeSize: 100 } }],
});
const at = (index: number) => `blockDeviceMappings[${index}].ebs.encrypted`;

test.for([
  ["encrypted", mapped("true"), []],
  ["a boolean", mapped(true, true), []],
  ["an instance store", { blockDeviceMappings: [{ deviceName: "/dev/sdb", virtualName: "ephemeral0" }] }, []],
  [
    "a volume, whatever else it is called",
    { blockDeviceMappings: [{ deviceName: "/dev/sdb", virtualName: "ephemeral0", ebs: { encrypted: false } }] },
    [`fail ${at(0)}`],
  ],
  ["no device", { blockDeviceMappings: [{ deviceName: "/dev/sdb", noDevice: "" }] }, []],
  ["not encrypted", mapped("false"), [`fail ${at(0)}`]],
  ["not stated", mapped(undefined), [`fail ${at(0)}`]],
  ["the second is not", mapped("true", false), [`fail ${at(1)}`]],
  ["neither is", mapped("false", "no"), [`fail ${at(0)}`, `fail ${at(1)}`]],
  ["a mapping that says nothing", { blockDeviceMappings: [{ deviceName: "/dev/xvda" }] }, [`fail ${at(0)}`]],
  ["from a snapshot", copied("snap-0a1b2c3d"), ["advise blockDeviceMappings[0].ebs.snapshotId"]],
  ["from a snapshot, not encrypted", copied("snap-0a1b2c3d", false), ["advise blockDeviceMappings[0].ebs.snapshotId"]],
  ["from a snapshot, encrypted", copied("snap-0a1b2c3d", "true"), []],
  ["from a snapshot of an empty name", copied(" "), [`fail ${at(0)}`]],
  ["from null", copied(null), [`fail ${at(0)}`]],
  ["from an unknown snapshot", copied(unknown), ["unknown blockDeviceMappings[0].ebs.snapshotId"]],
  ["from an unknown snapshot, encrypted", copied(unknown, true), []],
  ["from a snapshot, encryption unknown", copied("snap-0a1b2c3d", unknown), [`unknown ${at(0)}`]],
  ["the AMI's own volumes", {}, ["advise blockDeviceMappings"]],
  ["an empty list", mapped(), ["advise blockDeviceMappings"]],
  ["unknown", mapped(unknown), [`unknown ${at(0)}`]],
  ["one unknown, one not", mapped(unknown, "false"), [`fail ${at(1)}`]],
  ["a mapping unknown", { blockDeviceMappings: [unknown] }, ["unknown blockDeviceMappings[0]"]],
  ["all unknown", { blockDeviceMappings: unknown }, ["unknown blockDeviceMappings"]],
] as const)("%s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(launchTemplate, properties)])).toEqual(expected);
});

test("a template of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const templates = ["old-gpu", "gpu"].map((name) => resource(launchTemplate, mapped("false"), { name }));
  expect(findings(rule, templates, { policyConfig }).map(({ name }) => name)).toEqual(["gpu"]);
  expect(verdicts(rule, templates.slice(0, 1), { policyConfig })).toEqual([]);
});

test("messages, without a secret", () => {
  const message = (properties: object) =>
    findings(rule, [resource(launchTemplate, { ...properties })]).map((finding) => finding.message);
  expect(message(mapped("hunter2"))).toMatchInlineSnapshot(`
    [
      "blockDeviceMappings[0].ebs.encrypted: got a string. The data of pods is stored unencrypted on the volume and in its snapshots.
    fix: set blockDeviceMappings[0].ebs.encrypted to true",
    ]
  `);
  expect(message(copied("snap-hunter2"))).toMatchInlineSnapshot(`
    [
      "blockDeviceMappings[0].ebs.snapshotId: got a snapshot. The volume is encrypted only if the snapshot is, or if the account encrypts every new volume. The rule can read neither.
    fix: use an encrypted snapshot (aws ec2 copy-snapshot --encrypted creates one), and add this template to "exempt" in the policy configuration",
    ]
  `);
  expect(message(mapped())[0]).toContain("blockDeviceMappings: got an empty list.");
  expect(message({})).toMatchInlineSnapshot(`
    [
      "blockDeviceMappings: got nothing. The volumes of the AMI are then encrypted only if the account encrypts every new volume.
    fix: add { deviceName: "/dev/xvda", ebs: { encrypted: "true" } }",
    ]
  `);
});
