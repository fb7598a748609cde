import type { Reader } from "../../../components/core/reader/reader";
import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import type { Resource } from "../../engine/resource";
import { failIf, resourceRule, type Check, type Violation } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import { gpuNodeGroup, scalingGroup } from "../../facts/node-groups";

/** The property with the target, and the two kinds of target in it. */
interface Place {
  readonly target: string;
  readonly one: string;
  readonly group: string;
}

const specification = "capacityReservationSpecification";

const places: Readonly<Record<string, Place>> = {
  [launchTemplate]: {
    target: `${specification}.capacityReservationTarget`,
    one: "capacityReservationId",
    group: "capacityReservationResourceGroupArn",
  },
  [scalingGroup]: {
    target: `${specification}.capacityReservationTarget`,
    one: "capacityReservationIds",
    group: "capacityReservationResourceGroupArns",
  },
  [gpuNodeGroup]: { target: "capacityReservation", one: "id", group: "resourceGroupArn" },
};

/**
 * A preference without a target is valid: instances use any open reservation, or none.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateCapacityReservationSpecificationRequest.html
 */
export const capacityReservationTarget = resourceRule({
  id: "capacity-reservation-target",
  title: "A capacity reservation specification names exactly one reservation or one resource group.",
  severity: "high",
  incident:
    "a reservation target was an empty object, so instances started on demand while a paid reservation stayed unused",
  types: Object.keys(places),
  *judge(resource) {
    const place = places[resource.type];
    if (!place) return;
    yield* targetOf(resource, place);
    if (resource.type === gpuNodeGroup) return;
    const block = resource.at(specification);
    const isEmpty = all(
      isBlock(block),
      block.text("capacityReservationPreference").isAbsent,
      not(isStated(block.at("capacityReservationTarget"))),
    );
    yield failIf(isEmpty, () => ({
      ...fault(specification, "neither a preference nor a target", place),
      why: "The block has no effect: instances start on demand while you pay for the reservation.",
    }));
  },
});

function* targetOf(resource: Resource, place: Place): Iterable<Check> {
  const target = resource.at(place.target);
  const one = isNamed(target.at(place.one));
  const group = isNamed(target.at(place.group));
  yield failIf(all(isStated(target), not(one), not(group)), () => fault(place.target, "no target", place));
  yield failIf(all(one, group), () => fault(place.target, "two targets", place));
}

function fault(path: string, got: string, place: Place): Violation {
  return {
    path,
    got,
    why: "EC2 accepts one target. Without one, instances start on demand while you pay for the reservation. EC2 rejects two.",
    fix: `set either ${place.target}.${place.one} or ${place.target}.${place.group}`,
  };
}

function isBlock(reader: Reader): Truth {
  return reader.entries().is(() => true);
}

function isStated(reader: Reader): Truth {
  const entries = reader.entries();
  return not(entries.isAbsent);
}

/** Whether a string or a list is not empty. */
function isNamed(reader: Reader): Truth {
  return any(
    reader.text().is((text) => text !== ""),
    reader.list().is((items) => items.length > 0),
  );
}
