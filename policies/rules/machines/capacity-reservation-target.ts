import type { Reader } from "../../../components/core/reader/reader";
import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import type { Resource } from "../../engine/resource";
import { failIf, resourceRule, type Check, type Violation } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import { gpuNodeGroup, scalingGroup } from "../../facts/node-groups";

/** Where a type names a target, and the two kinds of target there are. */
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
 * A preference without a target is a choice of its own: any open reservation, or none.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateCapacityReservationSpecificationRequest.html
 */
export const capacityReservationTarget = resourceRule({
  id: "capacity-reservation-target",
  title: "Who asks for reserved capacity names exactly one reservation, or one group of them.",
  severity: "high",
  incident:
    "a reservation target came out as an empty object, and instances started on demand beside a paid reservation",
  types: Object.keys(places),
  *judge(resource) {
    const place = places[resource.type];
    if (!place) return;
    yield* targetOf(resource, place);
    if (resource.type === gpuNodeGroup) return;
    const block = resource.at(specification);
    const isSilent = all(
      isBlock(block),
      block.text("capacityReservationPreference").isAbsent,
      not(isStated(block.at("capacityReservationTarget"))),
    );
    yield failIf(isSilent, () => ({
      ...fault(specification, "neither a preference nor a target", place),
      why: "It asks for nothing: instances start as if it were not there, beside a reservation that is paid for.",
    }));
  },
});

function* targetOf(resource: Resource, place: Place): Iterable<Check> {
  const target = resource.at(place.target);
  const one = isNamed(target.at(place.one));
  const group = isNamed(target.at(place.group));
  yield failIf(all(isStated(target), not(one), not(group)), () => fault(place.target, "no target in it", place));
  yield failIf(all(one, group), () => fault(place.target, "two targets", place));
}

function fault(path: string, got: string, place: Place): Violation {
  return {
    path,
    got,
    why: "EC2 takes one target. With none, instances start on demand beside a reservation that is paid for; two it refuses.",
    fix: `set either ${place.target}.${place.one} or ${place.target}.${place.group}`,
  };
}

/** An object, or what is in its place. */
function isBlock(reader: Reader): Truth {
  return reader.entries().is(() => true);
}

function isStated(reader: Reader): Truth {
  const entries = reader.entries();
  return not(entries.isAbsent);
}

/** A text or a list that is not empty. */
function isNamed(reader: Reader): Truth {
  return any(
    reader.text().is((text) => text !== ""),
    reader.list().is((items) => items.length > 0),
  );
}
