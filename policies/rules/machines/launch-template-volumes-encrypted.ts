import { all, any, not } from "../../../components/core/reader/truth";
import { adviseIf, failIf, resourceRule } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";

/**
 * A volume from a snapshot is encrypted as the snapshot is, which nobody sees here, and EC2 may refuse to be told: a
 * warning. Volumes of the AMI that the template does not name follow the account's setting: a warning too.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateEbsBlockDeviceRequest.html
 * @see https://docs.aws.amazon.com/ebs/latest/userguide/encryption-by-default.html
 */
export const launchTemplateVolumesEncrypted = resourceRule({
  id: "launch-template-volumes-encrypted",
  title: "The volumes of nodes are encrypted.",
  severity: "medium",
  incident: "model weights and pulled secrets lay in plain text on the volumes of nodes, and in the snapshots of them",
  types: [launchTemplate],
  *judge(template) {
    const mappings = template.list("blockDeviceMappings");
    for (const mapping of mappings.value ?? []) {
      const encrypted = mapping.boolean("ebs.encrypted");
      const isVolume = any(
        not(mapping.entries("ebs").isAbsent),
        all(mapping.text("virtualName").isAbsent, mapping.text("noDevice").isAbsent),
      );
      const snapshot = mapping.text("ebs.snapshotId");
      const isFromSnapshot = not(
        any(
          snapshot.isAbsent,
          snapshot.isMalformed,
          snapshot.is((id) => id.trim() === ""),
        ),
      );
      const isOpen = all(isVolume, not(encrypted.is((is) => is)));
      yield failIf(all(isOpen, not(isFromSnapshot)), () => ({
        path: encrypted.path,
        got: encrypted.shown,
        why: "What pods write lies on the volume, and in each snapshot of it, in plain text.",
        fix: `set ${encrypted.path} to true`,
      }));
      yield adviseIf(all(isOpen, isFromSnapshot), () => ({
        path: snapshot.path,
        got: "a snapshot",
        why: "The volume is encrypted if the snapshot is, or if the account encrypts every new volume. Neither is seen here.",
        fix: `name a snapshot that is encrypted (aws ec2 copy-snapshot --encrypted makes one of another), and this template in "exempt" in the policy configuration`,
      }));
    }
    const names = mappings.is((items) => items.length > 0);
    yield adviseIf(not(names), () => ({
      path: mappings.path,
      got: mappings.value ? "an empty list" : mappings.shown,
      why: "The volumes of the AMI are then encrypted only where the account encrypts every new volume.",
      fix: 'add { deviceName: "/dev/xvda", ebs: { encrypted: "true" } }',
    }));
  },
});
