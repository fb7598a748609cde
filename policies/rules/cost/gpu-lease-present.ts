import { all, any, equals, not, some, type Truth } from "../../engine/values";
import { isRecord } from "../../../components/core/reader/records";
import { parseJson } from "../../../components/core/json-text";
import { failAt, onEach, stackRule, type Check, type Resource } from "../../engine/rule";
import { isStopped, requiresGpu } from "../../facts/karpenter";
import { templateTypes } from "../../facts/launch-templates";
import { someOf } from "../../facts/lists";
import { groupsOf, isGpuGroup } from "../../facts/node-groups";
import { schedulesOf, sizeOf } from "../../facts/node-counts";
import { machinesOf, managedGroups, nodeGroup, nodeGroupTypes, nodePools, schedule } from "../../facts/node-sources";

const lease = "eks-gpu-lab:index:LabLease";
/** A lease cannot end what an older Provisioner starts. */
const pools = nodePools.filter((type) => type.endsWith(":NodePool"));
const poolLease = "eks-gpu-lab:index:NodePoolLease";
const eventSchedule = "aws:scheduler/schedule:Schedule";

/**
 * A lease is one of these:
 *
 * - a LabLease, or a NodePoolLease that names the NodePool
 * - a scheduled action of an Auto Scaling group with a desired capacity of 0
 * - a schedule of EventBridge Scheduler that sets the desired size of the group to 0
 *
 * The rule finds the group by the resource whose name the lease uses, or by the name itself. Exempt a group whose
 * schedule is in another stack: the rule does not see it.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
export const gpuLeasePresent = stackRule({
  id: "gpu-lease-present",
  title: "A schedule terminates the nodes of each GPU node group and NodePool.",
  severity: "medium",
  incident: "a session on Friday evening was forgotten, and two GPU nodes ran until Monday for 78 USD each",
  types: [...nodeGroupTypes, ...pools, lease, poolLease, schedule, eventSchedule, ...templateTypes],
  *judge(stack) {
    const leases = stack.ofType(lease);
    yield* onEach(groupsOf(stack, nodeGroupTypes), function* (group) {
      const max = sizeOf(group, "max");
      const isManaged = managedGroups.includes(group.type);
      const inside = stack.ofType(nodeGroup).filter(({ parent }) => parent === group.urn);
      const urns = [group, ...inside].map(({ urn }) => urn);
      const isLeased = any(
        leases.some((one) => one.dependenciesOf("nodeGroups").some((urn) => urns.includes(urn))),
        some(stack.ofType(eventSchedule), (one) =>
          all(
            equals(one.text("state").or("ENABLED"), "ENABLED"),
            isManaged ? endsNodeGroup(one, group, urns) : endsScalingGroup(one, group),
          ),
        ),
        !isManaged && some(schedulesOf(group, stack), (one) => equals(one.integer("desiredCapacity"), 0)),
      );
      const mayStart = max.is((nodes) => nodes > 0);
      yield failAt(max, all(isGpuGroup(group, stack), mayStart, not(isLeased)), {
        why: "Nothing terminates these GPU nodes when a session is forgotten, and they keep costing money.",
        fix: isManaged ? addLease : addSchedule,
      });
    });
    const poolLeases = stack.ofType(poolLease);
    yield* onEach(stack.ofType(...pools), (pool) => [ofPool(pool, poolLeases)]);
  },
});

/** A pool without a limit may start nodes, as may one with a limit of more than 0 GPUs. */
function ofPool(pool: Resource, leases: readonly Resource[]): Check {
  const { requirements = "" } = machinesOf(pool.type);
  const name = pool.text("metadata.name");
  const isLeased = any(
    leases.some((one) => one.dependenciesOf("nodePools").includes(pool.urn)),
    some(leases, (one) => someOf(one.list("nodePools"), (named) => named.text().is((text) => text === name.value))),
  );
  return failAt(name, all(requiresGpu(pool.list(requirements)), not(isStopped(pool)), not(isLeased)), {
    got: "a NodePool without a lease",
    why: "Karpenter and EKS Auto Mode replace an expired node while a pod needs it, so a forgotten pod keeps costing money.",
    fix: addPoolLease,
  });
}

const addPoolLease =
  "in a lab stack: pulumi config set --path lease.enabled true; elsewhere, add a NodePoolLease of eks-gpu-lab with " +
  "the name of this NodePool";

const addLease =
  "in a lab stack: pulumi config set --path lease.enabled true; elsewhere, add a LabLease of eks-gpu-lab with " +
  "this node group, or a schedule that sets its desired size to 0";
const addSchedule = "add an aws.autoscaling.Schedule for this group, with a recurrence and a desiredCapacity of 0";

/** The target calls EKS with the node group and a desired size of 0. */
function endsNodeGroup(one: Resource, group: Resource, urns: readonly string[]): Truth {
  const [name, cluster] = [group.text("nodeGroupName").value, group.text("clusterName").value];
  const prefix = group.text("nodeGroupNamePrefix").value;
  const isOf = ({ ClusterName, NodegroupName }: Input) => {
    if (typeof NodegroupName !== "string" || (cluster !== undefined && ClusterName !== cluster)) return false;
    return NodegroupName === name || (prefix !== undefined && NodegroupName.startsWith(prefix));
  };
  return all(
    calls(one, "eks:updateNodegroupConfig"),
    any(isBehind(one, urns), inputIs(one, isOf)),
    inputIs(one, ({ ScalingConfig }) => isRecord(ScalingConfig) && ScalingConfig["DesiredSize"] === 0),
  );
}

/** The target calls Auto Scaling with the group and a desired capacity of 0. */
function endsScalingGroup(one: Resource, group: Resource): Truth {
  const name = group.text("name").value;
  return all(
    any(calls(one, "autoscaling:setDesiredCapacity"), calls(one, "autoscaling:updateAutoScalingGroup")),
    any(
      isBehind(one, [group.urn]),
      inputIs(one, ({ AutoScalingGroupName }) => name !== undefined && AutoScalingGroupName === name),
    ),
    inputIs(one, ({ DesiredCapacity }) => DesiredCapacity === 0),
  );
}

function calls(one: Resource, action: string): Truth {
  return one.text("target.arn").is((arn) => arn.endsWith(`:aws-sdk:${action}`));
}

function isBehind(one: Resource, urns: readonly string[]): boolean {
  return one.dependenciesOf("target").some((urn) => urns.includes(urn));
}

type Input = Readonly<Record<string, unknown>>;

function inputIs(one: Resource, condition: (input: Input) => boolean): Truth {
  return one.text("target.input").is((text) => {
    const input = parseJson(text);
    return isRecord(input) && condition(input);
  });
}
