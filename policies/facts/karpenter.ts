import { all, any, equals, not, type Reader, type Reading, type Truth } from "../engine/values";
import { hasNvidiaGpu } from "../../components/nodes/machine/instance-types";
import { someOf } from "./lists";

/** The requirements of a NodePool. */
type Requirements = Reading<readonly Reader[]>;

/** Labels of Karpenter and of EKS Auto Mode that tell whether a node has NVIDIA GPUs. */
const gpuLabel = /^(?:karpenter\.k8s\.aws|eks\.amazonaws\.com)\/instance-gpu-(?:count|name|manufacturer|memory)$/;
/** Operators with which a requirement also accepts nodes without GPUs. */
const noGpus: readonly string[] = ["NotIn", "DoesNotExist", "Lt", "Lte"];
const familyLabel = /\/instance-(?:family|type)$/;

/**
 * Whether the nodes of a pool have GPUs, because a requirement is for them.
 * @see https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
 */
export function requiresGpu(requirements: Requirements): Truth {
  return someOf(requirements, (one) => {
    const operator = one.text("operator");
    const isNot = equals(operator, ...noGpus);
    const isMore = equals(operator, "Gt");
    const hasValue = (isMeant: (value: string) => boolean) => hasValueOf(one, isMeant);
    return all(
      not(isNot),
      one.text("key").is((key) => {
        if (gpuLabel.test(key)) return any(isMore, not(hasValue((value) => value === "0" || value === "amd")));
        if (familyLabel.test(key)) return hasValue((value) => hasNvidiaGpu(value) || hasNvidiaGpu(`${value}.xlarge`));
        return key.endsWith("/instance-category") ? hasValue((value) => /^(?:g|gr|p)$/.test(value)) : false;
      }),
    );
  });
}

/** Whether the nodes of a pool may be of a market. Without a requirement they are on demand. */
export function allowsMarket(requirements: Requirements, market: string): Truth {
  const isOfMarket = (one: Reader) => equals(one.text("key"), "karpenter.sh/capacity-type");
  const allows = (one: Reader) => {
    const isNamed = hasValueOf(one, (value) => value === market);
    const isAllowed = (operator: string) => (operator === "In" ? isNamed : all(operator === "NotIn", not(isNamed)));
    return one.text("operator").is(isAllowed);
  };
  const isStated = someOf(requirements, isOfMarket);
  return any(
    someOf(requirements, (one) => all(isOfMarket(one), allows(one))),
    all(market === "on-demand", not(isStated)),
  );
}

/** The instance types that Karpenter may start, where the requirements name them. */
export function requiredTypes(requirements: Requirements): Reading<string>[] {
  const namesTypes = (one: Reader) =>
    all(equals(one.text("key"), "node.kubernetes.io/instance-type"), equals(one.text("operator"), "In")) === true;
  const naming = (requirements.value ?? []).filter(namesTypes);
  return naming.flatMap((one) => one.list("values").value ?? []).map((value) => value.text());
}

function hasValueOf(requirement: Reader, isMeant: (value: string) => boolean): Truth {
  return someOf(requirement.list("values"), (value) => value.text().is(isMeant));
}
