import { isRecord } from "../../components/core/reader/records";
import { unknownSentinel } from "../../components/core/wire";
import { asFirst } from "./placeholders";
import type { Recording } from "../record/record";
import type { RecordedResource } from "../record/recorded-resource";

/**
 * A recording with the parts that both runs of a program agree on. A value that differs comes from a placeholder, so it is
 * unknown. A resource of only one run may not exist: it is left out.
 */
export function agreement(
  first: Recording,
  second: Recording,
): { recording: Recording; leftOut: readonly RecordedResource[] } {
  const pairs = paired(first.resources, second.resources);
  const resources = [...pairs].map(([one, other]) => ({
    ...one,
    inputs: agreed(one.inputs, other.inputs) as RecordedResource["inputs"],
  }));
  const outputs = agreed(first.outputs, second.outputs) as Recording["outputs"];
  return {
    recording: { ...first, resources, outputs },
    leftOut: first.resources.filter((resource) => !pairs.has(resource)),
  };
}

/** Resources of equal URNs, also where a name contains a placeholder. */
function paired(first: readonly RecordedResource[], second: readonly RecordedResource[]) {
  const byUrn = new Map(second.map((resource) => [asFirst(resource.urn), resource]));
  const pairs = first.map((resource) => [resource, byUrn.get(resource.urn)] as const);
  return new Map(pairs.filter((pair): pair is [RecordedResource, RecordedResource] => pair[1] !== undefined));
}

function agreed(one: unknown, other: unknown): unknown {
  if (one === other) return one;
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.map((item, index) => agreed(item, (other as unknown[])[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return unknownSentinel;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(keys.map((key) => [key, agreed(one[key], other[key])]));
}
