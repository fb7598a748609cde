import { isRecord } from "../../../components/core/reader/records";
import { parseJson } from "../../../components/core/json-text";
import { all, any, not, some, type Truth } from "../../../components/core/reader/truth";
import type { Resource } from "../../engine/resource";
import { failIf, stackRule } from "../../engine/rule";
import { templateTypes } from "../../facts/launch-templates";
import { isGpuGroup, nodeGroup } from "../../facts/node-groups";

const lease = "eks-gpu-lab:index:LabLease";
const schedule = "aws:scheduler/schedule:Schedule";

/**
 * A lease is a LabLease, or a schedule of EventBridge Scheduler that calls UpdateNodegroupConfig with a desired size of 0. The
 * rule finds the node group by the resource whose name the lease uses, or by the name itself. It does not see schedules of
 * other stacks: exempt a group that another stack ends.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
export const gpuLeasePresent = stackRule({
  id: "gpu-lease-present",
  title: "A schedule ends the nodes of each GPU node group.",
  severity: "medium",
  incident: "a session on Friday evening was forgotten, and two GPU nodes ran until Monday for 78 USD each",
  types: [nodeGroup, lease, schedule, ...templateTypes],
  *judge(stack) {
    const [leases, schedules] = [stack.ofType(lease), stack.ofType(schedule)];
    for (const group of stack.ofType(nodeGroup)) {
      const max = group.integer("scalingConfig.maxSize");
      const isLeased = any(
        leases.some((one) => one.dependenciesOf("nodeGroups").includes(group.urn)),
        some(schedules, (one) => all(isOn(one), isOf(one, group), endsNodes(one))),
      );
      yield failIf(
        all(
          isGpuGroup(group, stack),
          max.is((nodes) => nodes > 0),
          not(isLeased),
        ),
        () => ({
          path: max.path,
          got: max.shown,
          why: "Nothing ends these GPU nodes when a session is forgotten, and they keep costing money.",
          fix:
            "in a stack of a lab: pulumi config set --path lease.enabled true; elsewhere, add a LabLease of eks-gpu-lab with " +
            "this node group, or a schedule that sets its desired size to 0",
        }),
        group,
      );
    }
  },
});

function isOn(one: Resource): Truth {
  return one
    .text("state")
    .or("ENABLED")
    .is((state) => state === "ENABLED");
}

function isOf(one: Resource, group: Resource): Truth {
  if (one.dependenciesOf("target").includes(group.urn)) return true;
  const [name, cluster] = [group.text("nodeGroupName").value, group.text("clusterName").value];
  const prefix = group.text("nodeGroupNamePrefix").value;
  return inputIs(one, ({ ClusterName, NodegroupName }) => {
    if (typeof NodegroupName !== "string" || (cluster !== undefined && ClusterName !== cluster)) return false;
    return NodegroupName === name || (prefix !== undefined && NodegroupName.startsWith(prefix));
  });
}

/** The target calls EKS with a desired size of 0. */
function endsNodes(one: Resource): Truth {
  return all(
    one.text("target.arn").is((arn) => arn.endsWith(":aws-sdk:eks:updateNodegroupConfig")),
    inputIs(one, ({ ScalingConfig }) => isRecord(ScalingConfig) && ScalingConfig["DesiredSize"] === 0),
  );
}

function inputIs(one: Resource, condition: (input: Readonly<Record<string, unknown>>) => boolean): Truth {
  return one.text("target.input").is((text) => {
    const input = parseJson(text);
    return isRecord(input) && condition(input);
  });
}
