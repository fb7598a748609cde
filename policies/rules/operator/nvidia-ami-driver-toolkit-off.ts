import { all, any, equals, not, some, type Truth } from "../../engine/values";
import { adviseAt, failAt, on, onEach, type Check, type Resource, type Stack } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { gpuOperator, operatorTypes, OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate, nodeClasses, templatesOf } from "../../facts/launch-templates";
import { someOf } from "../../facts/lists";
import { isGpuGroup, isNvidiaAmi, nodeGroupsIn } from "../../facts/node-groups";
import { managedGroups, nodePools, pulumiGroups } from "../../facts/node-sources";

/** Parts that an NVIDIA AMI contains, and the harm that the operator's own part does. */
const parts = [
  {
    part: "driver",
    why: "A node group has an NVIDIA AMI, which contains the driver. NVIDIA publishes no driver container for AL2023.",
  },
  {
    part: "toolkit",
    why: "A node group has an NVIDIA AMI, which contains the container toolkit. The toolkit of the operator overwrites the containerd configuration and breaks the node.",
  },
] as const;

/**
 * Both are on by default in the chart. A group with a custom AMI, or without an AMI type, is not checked, because the
 * content of its AMI is unknown. Values in files, ConfigMaps and Secrets cannot be read: the rule reports them once, for all
 * rules. A string asset can be read. The component keeps both off and has no argument for them, so the rule checks its
 * Release, which a `transform` may change.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml
 */
export const nvidiaAmiDriverToolkitOff = clusterRule({
  id: "nvidia-ami-driver-toolkit-off",
  title: "On nodes with an NVIDIA AMI, the GPU Operator does not install the driver or the toolkit.",
  severity: "critical",
  incident:
    "the operator's toolkit, which restarts containerd, crashed 681 times in two days on a node where containerd was down",
  types: [...operatorTypes, ...managedGroups, ...pulumiGroups, ...nodePools, launchTemplate, ...nodeClasses],
  *judge(stack) {
    const operators = OperatorValues.in(stack);
    const hasNvidiaAmi = any(
      some(nodeGroupsIn(stack, [...managedGroups, ...pulumiGroups]), (group) => usesNvidiaAmi(group, stack)),
      some(stack.ofType(...nodePools), (pool) => startsNvidiaAmi(pool, stack)),
    );
    for (const operator of operators) yield* on(operator.resource, ofOperator(operator, hasNvidiaAmi));
    const driverOff = any(...operators.map(installsNoDriver));
    yield* onEach(nodeGroupsIn(stack, managedGroups), (group) => [ofGroup(group, stack, driverOff)]);
  },
});

/** By its AMI type, by the parameter of its image, or with `gpu` of @pulumi/eks and no image. */
function usesNvidiaAmi(group: Resource, stack: Stack): Truth {
  const amiType = group.text("amiType");
  const isWanted = equals(group.boolean("gpu"), true);
  const isParameter = some(templatesOf(stack, group), (template) =>
    template.text("imageId").is((image) => /^resolve:ssm:.*nvidia/.test(image)),
  );
  return any(isNvidiaAmi(amiType), isParameter, all(amiType.isAbsent, group.text("amiId").isAbsent, isWanted));
}

/**
 * For GPUs, an alias of Karpenter stands for EKS's NVIDIA AMI, and EKS Auto Mode has its own.
 * @see https://karpenter.sh/docs/concepts/nodeclasses/#specamiselectorterms
 */
function startsNvidiaAmi(pool: Resource, stack: Stack): Truth {
  const isAuto = equals(pool.text("spec.template.spec.nodeClassRef.group"), "eks.amazonaws.com");
  const isAlias = some(templatesOf(stack, pool), (template) =>
    someOf(template.list("amiSelectorTerms"), (term) =>
      term.text("alias").is((alias) => /^(al2|al2023|bottlerocket)@/.test(alias)),
    ),
  );
  return all(isGpuGroup(pool), any(isAuto, isAlias));
}

function* ofOperator(operator: OperatorValues, hasNvidiaAmi: Truth): Iterable<Check> {
  // The component itself keeps both off.
  const standard = operator.resource.type !== gpuOperator;
  for (const { part, why } of parts) {
    const enabled = operator.flag(`${part}.enabled`);
    yield failAt(enabled, all(operator.isOperator, hasNvidiaAmi, operator.isOn(`${part}.enabled`, standard)), {
      why,
      fix: `set ${enabled.path} to false`,
    });
  }
  const { isSome, path } = operator.hidden;
  yield adviseAt({ path }, all(operator.isOperator, isSome), {
    got: "values that the rules cannot read",
    why: "The driver, the toolkit and other parts of the GPU Operator may be configured there. No rule checks them.",
    fix: path.startsWith("valueYamlFiles")
      ? `pass the text of the file: new pulumi.asset.StringAsset(readFileSync(FILE, "utf8"))`
      : "set driver.enabled and toolkit.enabled in the values of the resource, which override these",
  });
}

/** The component is checked through its Release. */
function installsNoDriver(operator: OperatorValues): Truth {
  return all(operator.resource.type !== gpuOperator, operator.isOperator, operator.isOff("driver.enabled", true));
}

/** The opposite mistake: neither the AMI nor the operator installs the driver. */
function ofGroup(group: Resource, stack: Stack, driverOff: Truth): Check {
  const ami = group.text("amiType");
  const isPlainAmi = ami.is((type) => type !== "CUSTOM" && not(isNvidiaAmi(ami)));
  return failAt(ami, all(isPlainAmi, isGpuGroup(group, stack), driverOff), {
    got: "an AMI without the NVIDIA driver",
    why: "The GPU Operator is configured without its driver, so pods on this group never get a GPU.",
    fix: `set ${ami.path} to AL2023_x86_64_NVIDIA, or to AL2023_ARM_64_NVIDIA for Arm instances`,
  });
}
