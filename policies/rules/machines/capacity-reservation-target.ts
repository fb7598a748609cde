import { all, any, equals, not, type Reader, type Truth } from "../../engine/values";
import { failAt, onEach, stackRule, type Check, type Resource } from "../../engine/rule";
import { hasExternalTemplate, launchTemplate, templatesOf } from "../../facts/launch-templates";
import { nodeGroupsIn } from "../../facts/node-groups";
import { gpuNodeGroup, managedGroups, scalingGroup } from "../../facts/node-sources";

/** The property with the target, and the two kinds of target in it. */
interface Place {
  readonly target: string;
  readonly one: string;
  readonly group: string;
}

const specification = "capacityReservationSpecification";
const target = `${specification}.capacityReservationTarget`;

const places: Readonly<Record<string, Place>> = {
  [launchTemplate]: { target, one: "capacityReservationId", group: "capacityReservationResourceGroupArn" },
  [scalingGroup]: { target, one: "capacityReservationIds", group: "capacityReservationResourceGroupArns" },
  [gpuNodeGroup]: { target: "capacityReservation", one: "id", group: "resourceGroupArn" },
};

/**
 * A preference without a target is valid: instances use any open reservation, or none. A Capacity Block must be named by its
 * id, in the launch template of the group.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateCapacityReservationSpecificationRequest.html
 */
export const capacityReservationTarget = stackRule({
  id: "capacity-reservation-target",
  title: "A capacity reservation specification names exactly one reservation or one resource group.",
  severity: "high",
  incident:
    "a reservation target was an empty object, so instances started on demand while a paid reservation stayed unused",
  types: [...Object.keys(places), ...managedGroups],
  *judge(stack) {
    // The template of a component has the arguments of the component.
    const components = stack.ofType(gpuNodeGroup).flatMap((one) => (one.isEmpty ? [] : one.urn));
    for (const [type, place] of Object.entries(places)) {
      const own = stack.ofType(type).filter((one) => !components.includes(one.parent ?? ""));
      yield* onEach(own, (resource) => ofSpecification(resource, place));
    }
    yield* onEach(stack.ofType(launchTemplate), function* (template) {
      yield withoutBlock(blockPath, all(isForBlock(template), not(namesBlock(template))));
    });
    yield* onEach(nodeGroupsIn(stack, managedGroups), function* (group) {
      const type = group.text("capacityType");
      const templates = templatesOf(stack, group).map((template) => all(isForBlock(template), namesBlock(template)));
      const isOpen = all(not(hasExternalTemplate(stack, group)), not(any(...templates)));
      yield withoutBlock(type.path, all(equals(type, "CAPACITY_BLOCK"), isOpen));
    });
  },
});

function* ofSpecification(resource: Resource, place: Place): Iterable<Check> {
  yield* targetOf(resource, place);
  if (resource.type === gpuNodeGroup) return;
  const block = resource.at(specification);
  const isEmpty = all(
    block.entries().is(() => true),
    block.text("capacityReservationPreference").isAbsent,
    not(isStated(resource.at(target))),
  );
  yield failAt({ path: specification }, isEmpty, {
    got: "neither a preference nor a target",
    why: "The block has no effect: instances start on demand while you pay for the reservation.",
    fix: setOne(place),
  });
}

const blockPath = `${target}.capacityReservationId`;

function isForBlock(template: Resource): Truth {
  return equals(template.text("instanceMarketOptions.marketType"), "capacity-block");
}

function namesBlock(template: Resource): Truth {
  return isNamed(template.at(blockPath));
}

function withoutBlock(path: string, condition: Truth): Check {
  return failAt({ path }, condition, {
    got: "a Capacity Block without its id",
    why: "EC2 starts instances of a Capacity Block only for the block that the launch template names.",
    fix: `set instanceMarketOptions.marketType to "capacity-block" and ${blockPath} to the id of the block, both in the launch template of the group`,
  });
}

function* targetOf(resource: Resource, place: Place): Iterable<Check> {
  const target = resource.at(place.target);
  const one = isNamed(target.at(place.one));
  const group = isNamed(target.at(place.group));
  const why =
    "EC2 accepts one target. Without one, instances start on demand while you pay for the reservation. EC2 rejects two.";
  const fault = { why, fix: setOne(place) };
  yield failAt(target, all(isStated(target), not(one), not(group)), { got: "no target", ...fault });
  yield failAt(target, all(one, group), { got: "two targets", ...fault });
}

function setOne({ target, one, group }: Place): string {
  return `set either ${target}.${one} or ${target}.${group}`;
}

function isStated(reader: Reader): Truth {
  return not(reader.entries().isAbsent);
}

/** Whether a string or a list is not empty. */
function isNamed(reader: Reader): Truth {
  return any(
    reader.text().is((text) => text !== ""),
    reader.list().is((items) => items.length > 0),
  );
}
