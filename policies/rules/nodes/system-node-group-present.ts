import { all, any, equals, not, some, type Reader, type Reading, type Truth } from "../../engine/values";
import { failAt, onEach, texts, type Resource, type Stack } from "../../engine/rule";
import { addon, awsCluster, eksCluster, usesAutoMode } from "../../facts/clusters";
import { clusterRule } from "../../facts/each-cluster";
import { someOf } from "../../facts/lists";
import { nodeGroupsIn, taintsOf } from "../../facts/node-groups";
import { machinesOf, managedGroups, nodeGroupV1, nodeGroupV2, scalingGroup } from "../../facts/node-sources";

const clusters = [awsCluster, eksCluster];
/** Types whose nodes may accept any pod. The rule cannot read more about them. */
const otherHosts = ["aws:eks/fargateProfile:FargateProfile", nodeGroupV1, nodeGroupV2, scalingGroup];

/** A taint that repels ordinary pods. These add-ons tolerate it by default. */
const critical = "CriticalAddonsOnly";
const tolerateCritical = ["coredns", "aws-ebs-csi-driver", "aws-efs-csi-driver"];

/**
 * The rule checks only stacks that also create the cluster: otherwise the nodes may be in another stack. An add-on with
 * tolerations counts as tolerating every taint.
 * @see https://github.com/pulumi/pulumi-eks/issues/1525
 * @see https://github.com/pulumi/pulumi-eks/issues/1819
 * @see https://github.com/aws/containers-roadmap/issues/1389
 * @see https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/charts/aws-ebs-csi-driver/values.yaml
 */
export const systemNodeGroupPresent = clusterRule({
  id: "system-node-group-present",
  title: "Add-ons have a node without a taint to run on.",
  severity: "medium",
  incident: "all nodes were tainted, so the CoreDNS add-on stayed DEGRADED and the update failed after 20 minutes",
  types: [addon, ...clusters, ...managedGroups, ...otherHosts],
  parameters: {
    addons: texts(
      [
        ...["coredns", "metrics-server", "external-dns", "cert-manager", "kube-state-metrics"],
        ...["aws-ebs-csi-driver", "aws-efs-csi-driver"],
      ],
      "Add-ons with pods that need a node.",
    ),
  },
  *judge(stack, { addons }) {
    if (stack.ofType(...clusters).length === 0) return;
    const isHosted = any(stack.ofType(...otherHosts).length > 0, some(stack.ofType(...clusters), bringsNodes));
    yield* onEach(stack.ofType(addon), function* (one) {
      const name = one.choice("addonName", addons);
      const toleratesCritical = one.text("addonName").is((text) => tolerateCritical.includes(text));
      const hasGroup = some(nodeGroupsIn(stack, managedGroups), (group) => takesPods(group, toleratesCritical));
      const tolerates = one.text("configurationValues").is((json) => json.includes("tolerations"));
      const isHomeless = all(not(tolerates), not(any(isHosted, hasGroup)));
      yield failAt(name, all(isOneOf(name), isHomeless), {
        got: `${name.shown}, and ${describe(stack)}`,
        why: "The pods of the add-on find no node. It stays DEGRADED, and the update fails after 20 minutes.",
        fix: "add a node group without taints and with a desired size of 1 or more, and let the add-on depend on it",
      });
    });
  },
});

/** Whether a choice is one of its words. */
function isOneOf(choice: Reading<string>): Truth {
  return choice.is(() => true);
}

function describe(stack: Stack): string {
  const groupCount = nodeGroupsIn(stack, managedGroups).filter(({ isEmpty }) => !isEmpty).length;
  return groupCount === 0 ? "no node group" : "only node groups that have taints or start with 0 nodes";
}

/** Whether a cluster has nodes itself: with EKS Auto Mode, or with the default node group of @pulumi/eks. */
function bringsNodes(cluster: Resource): Truth {
  const byPulumi = cluster.type === eksCluster && !cluster.isEmpty;
  const hasGroup = all(byPulumi, equals(cluster.boolean("skipDefaultNodeGroup").or(false), false));
  return any(usesAutoMode(cluster), hasGroup);
}

/** Whether a group accepts pods that tolerate no taint, or only the one for critical add-ons. */
function takesPods(group: Resource, tolerant: Truth): Truth {
  if (group.isEmpty) return false;
  const isTolerated = (taint: Reader) => all(tolerant, equals(taint.text("key"), critical));
  const isHard = (taint: Reader) => isOneOf(taint.choice("effect", ["NO_SCHEDULE", "NO_EXECUTE"]));
  const isRepelling = (taint: Reader) => all(isHard(taint), not(isTolerated(taint)));
  const isAtZero = equals(group.integer(machinesOf(group.type).sizes?.desired), 0);
  return all(not(someOf(taintsOf(group), isRepelling)), not(isAtZero));
}
