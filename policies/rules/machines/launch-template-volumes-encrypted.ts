import { all, any, equals, not, type Reader } from "../../engine/values";
import { adviseAt, failAt, resourceRule } from "../../engine/rule";
import { isNodeClass, launchTemplate, nodeClasses, templateIn } from "../../facts/launch-templates";

/**
 * A volume from a snapshot is encrypted if the snapshot is, and EC2 may reject another value. A volume of the AMI that
 * the template does not list follows the setting of the account. Both get a warning. Karpenter encrypts the volumes of
 * a node class that lists none.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateEbsBlockDeviceRequest.html
 * @see https://docs.aws.amazon.com/ebs/latest/userguide/encryption-by-default.html
 */
export const launchTemplateVolumesEncrypted = resourceRule({
  id: "launch-template-volumes-encrypted",
  title: "The volumes of nodes are encrypted.",
  severity: "medium",
  incident: "model weights and secrets were stored unencrypted on the volumes of nodes and in their snapshots",
  types: [launchTemplate, ...nodeClasses],
  *judge(resource) {
    const template = templateIn(resource);
    const mappings = template.list("blockDeviceMappings");
    const snapshotKey = isNodeClass(resource) ? "ebs.snapshotID" : "ebs.snapshotId";
    for (const mapping of mappings.value ?? []) yield* judgeMapping(mapping, snapshotKey);
    const names = mappings.is((items) => items.length > 0);
    const isOpen = mappings.is(() => false);
    yield adviseAt(mappings, any(all(!isNodeClass(resource), not(names)), isOpen), {
      got: mappings.value ? "an empty list" : mappings.shown,
      why: "The volumes of the AMI are then encrypted only if the account encrypts every new volume.",
      fix: 'add { deviceName: "/dev/xvda", ebs: { encrypted: "true" } }',
    });
  },
});

function* judgeMapping(mapping: Reader, snapshotKey: string) {
  const encrypted = mapping.boolean("ebs.encrypted");
  const isVolume = any(
    not(mapping.entries("ebs").isAbsent),
    all(mapping.text("virtualName").isAbsent, mapping.text("noDevice").isAbsent),
  );
  const snapshot = mapping.text(snapshotKey);
  const isFromSnapshot = snapshot.is((id) => id.trim() !== "");
  const isOpen = all(isVolume, not(equals(encrypted, true)));
  yield failAt(encrypted, all(isOpen, not(isFromSnapshot)), {
    why: "The data of pods is stored unencrypted on the volume and in its snapshots.",
    fix: `set ${encrypted.path} to true`,
  });
  yield adviseAt(snapshot, all(isOpen, isFromSnapshot), {
    got: "a snapshot",
    why: "The volume is encrypted only if the snapshot is, or if the account encrypts every new volume. The rule can read neither.",
    fix: `use an encrypted snapshot (aws ec2 copy-snapshot --encrypted creates one), and add this template to "exempt" in the policy configuration`,
  });
}
