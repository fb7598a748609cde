import { all, any, equals, not, some, Undetermined, type Truth } from "../../engine/values";
import { adviseAt, failAt, on, onEach, type Check, type Resource, type Stack } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { gpuGroups } from "../../facts/gpu-capacity";
import { gpuOperator, nvidiaDriver, operatorTypes, OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate, nodeClasses, templatesOf } from "../../facts/launch-templates";
import { someOf } from "../../facts/lists";
import { isGpuGroup, isNvidiaAmi, nodeGroupsIn } from "../../facts/node-groups";
import { managedGroups, nodePools, pulumiGroups } from "../../facts/node-sources";
import { podTemplate } from "../../facts/pods";
import { selects } from "../../facts/scheduling";

/** Parts that an NVIDIA AMI contains, and the harm that the operator's own part does. */
const parts = [
  {
    part: "driver",
    why: "GPU nodes run an EKS image that contains the driver. NVIDIA does not publish a driver container for such images.",
  },
  {
    part: "toolkit",
    why: "GPU nodes run an EKS image that contains the container toolkit. The toolkit of the operator overwrites the containerd configuration and breaks the node.",
  },
] as const;

/** The nodes whose image is known. */
const nodes = [...managedGroups, ...pulumiGroups, ...nodePools];

/**
 * The driver and the toolkit are on by default in the chart. The component keeps both off and has no argument for them,
 * so the rule checks its Release, which a `transform` may change. The rule does not check groups with a custom AMI or
 * without an AMI type. It cannot read values in files, ConfigMaps or Secrets, and reports them once.
 *
 * An NVIDIADriver installs a driver on the nodes that it selects, even if `driver.enabled` is false. The operator
 * ignores it until its values enable `driver.nvidiaDriverCRD`.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/nvidiadriver_controller.go
 */
export const nvidiaAmiDriverToolkitOff = clusterRule({
  id: "nvidia-ami-driver-toolkit-off",
  title: "On nodes with an NVIDIA AMI, the GPU Operator does not install the driver or the toolkit.",
  severity: "critical",
  incident:
    "the operator's toolkit, which restarts containerd, crashed 681 times in two days on a node where containerd was down",
  types: [...operatorTypes, nvidiaDriver, ...nodes, launchTemplate, ...nodeClasses],
  *judge(stack) {
    const operators = OperatorValues.in(stack);
    const drivers = stack.ofType(nvidiaDriver);
    const hasNvidiaAmi = some(nodeGroupsIn(stack, nodes), (group) => usesNvidiaAmi(group, stack));
    for (const operator of operators) yield* on(operator.resource, ofOperator(operator, hasNvidiaAmi));
    yield* onEach(drivers, (driver) => ofDriver(driver, operators, stack));
    const driverOff = drivers.length === 0 && any(...operators.map(installsNoDriver));
    yield* onEach(nodeGroupsIn(stack, managedGroups), (group) => [ofGroup(group, stack, driverOff)]);
  },
});

/** By its AMI type, by the parameter of its image, or with `gpu` of @pulumi/eks and no image. */
function usesNvidiaAmi(group: Resource, stack: Stack): Truth {
  if (nodePools.includes(group.type)) return startsNvidiaAmi(group, stack);
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
    const enabled = operator.at(`${part}.enabled`).boolean();
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
      : "set driver.enabled and toolkit.enabled in the values of the resource, which override them",
  });
}

function* ofDriver(driver: Resource, operators: readonly OperatorValues[], stack: Stack): Iterable<Check> {
  const groups = gpuGroups(stack, nodes);
  const pod = podTemplate(driver);
  const isSelective = driver.entries("spec.nodeAffinity").isAbsent !== true;
  const meets = some(groups, (group) => all(usesNvidiaAmi(group.group, stack), selects(pod, group)));
  const isSecond = all(meets, !isSelective || new Undetermined([]));
  const isRead = operators.length === 0 || any(...operators.map(readsDriverObjects));
  const until = " The operator ignores the object only as long as its values do not enable driver.nvidiaDriverCRD.";
  const check = isRead === false ? adviseAt : failAt;
  yield check(driver.at("spec"), all(isSecond, isRead === false || isRead), {
    got: "an NVIDIADriver",
    why: parts[0].why + (isRead === false ? until : ""),
    fix: "remove it, or let its nodeSelector select only nodes without a driver",
  });
}

/** By a key of the chart, or of a ClusterPolicy, the operator installs the driver of each NVIDIADriver. */
function readsDriverObjects(operator: OperatorValues): Truth {
  const keys = ["driver.nvidiaDriverCRD.enabled", "driver.useNvidiaDriverCRD"];
  return all(operator.isOperator, any(...keys.map((key) => operator.isOn(key, false))));
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
    why: "The GPU Operator is configured without its driver, so pods on the nodes of this group never get a GPU.",
    fix: `set ${ami.path} to AL2023_x86_64_NVIDIA, or to AL2023_ARM_64_NVIDIA for Arm instances`,
  });
}
