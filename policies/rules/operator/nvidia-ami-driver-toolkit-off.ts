import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import type { Resource, Stack } from "../../engine/resource";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { gpuOperator, operatorTypes, OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate } from "../../facts/launch-templates";
import { isGpuGroup, isNvidiaAmi, managedGroups } from "../../facts/node-groups";

/** What an NVIDIA AMI has already, and what harm the operator's own does beside it. */
const parts = [
  {
    part: "driver",
    why: "A node group here has an NVIDIA AMI, which brings the driver, and NVIDIA publishes no driver container for AL2023.",
  },
  {
    part: "toolkit",
    why: "A node group here has an NVIDIA AMI, which brings the container toolkit: the operator's own, installed over it, rewrites containerd's configuration and breaks the node.",
  },
] as const;

/**
 * Both are on in the chart unless its values say otherwise. A group with an AMI of one's own, or with none stated, is
 * not judged: what it brings cannot be seen. The component keeps both off and takes no argument for them, so what its
 * `transform` makes of the Release is judged.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml
 */
export const nvidiaAmiDriverToolkitOff = stackRule({
  id: "nvidia-ami-driver-toolkit-off",
  title: "On nodes with an NVIDIA AMI the GPU Operator installs neither driver nor toolkit.",
  severity: "critical",
  incident:
    "the operator's toolkit, which restarts containerd, crashed 681 times in two days on a node whose containerd was down",
  types: [...operatorTypes, ...managedGroups, launchTemplate],
  *judge(stack) {
    const operators = OperatorValues.in(stack);
    const groups = stack.ofType(...managedGroups);
    const hasNvidiaAmi = any(...groups.map((group) => isNvidiaAmi(group.text("amiType"))));
    for (const operator of operators) yield* ofOperator(operator, hasNvidiaAmi);
    const driverOff = any(...operators.map(bringsNoDriver));
    for (const group of groups) yield ofGroup(group, stack, driverOff);
  },
});

function* ofOperator(operator: OperatorValues, hasNvidiaAmi: Truth): Iterable<Check> {
  // The component itself keeps both off.
  const standard = operator.resource.type !== gpuOperator;
  for (const { part, why } of parts) {
    const enabled = operator.flag(`${part}.enabled`);
    yield failIf(
      all(operator.isOperator, hasNvidiaAmi, operator.isOn(`${part}.enabled`, standard)),
      () => ({ path: enabled.path, got: enabled.shown, why, fix: `set ${enabled.path} to false` }),
      operator.resource,
    );
  }
}

/** What the component makes of its arguments is judged by its Release. */
function bringsNoDriver(operator: OperatorValues): Truth {
  return all(operator.resource.type !== gpuOperator, operator.isOperator, operator.isOff("driver.enabled", true));
}

/** The reverse: nobody brings a driver. */
function ofGroup(group: Resource, stack: Stack, driverOff: Truth): Check {
  const ami = group.text("amiType");
  const isPlainAmi = ami.is((type) => type !== "CUSTOM" && not(isNvidiaAmi(ami)));
  return failIf(
    all(isPlainAmi, isGpuGroup(group, stack), driverOff),
    () => ({
      path: ami.path,
      got: "an AMI without NVIDIA's driver",
      why: "The GPU Operator here is told to bring no driver, so pods of this group never get a GPU.",
      fix: `set ${ami.path} to AL2023_x86_64_NVIDIA, or to AL2023_ARM_64_NVIDIA for Arm machines`,
    }),
    group,
  );
}
