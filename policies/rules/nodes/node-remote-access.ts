import { all, not } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { pulumiManagedGroups } from "../../facts/node-sources";

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_RemoteAccessConfig.html */
export const nodeRemoteAccess = resourceRule({
  id: "node-remote-access",
  title: "Only listed security groups can connect to nodes with SSH.",
  severity: "critical",
  incident: "a node group with an SSH key and without a security group had port 22 open to the whole internet",
  types: pulumiManagedGroups,
  *judge(group) {
    const key = group.text("remoteAccess.ec2SshKey");
    const sources = group.list("remoteAccess.sourceSecurityGroupIds");
    const hasKey = key.is((name) => name !== "");
    const isListed = sources.is((ids) => ids.length > 0);
    yield failAt(sources, all(hasKey, not(isListed)), {
      got: sources.value ? "an empty list" : sources.shown,
      why: "EKS then opens port 22 of every node to 0.0.0.0/0.",
      fix: "remove remoteAccess and use Session Manager, or list the security groups that may connect",
    });
  },
});
