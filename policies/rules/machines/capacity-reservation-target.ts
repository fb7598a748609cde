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

const instance = "aws:ec2/instance:Instance";
const templatePlace: Place = { target, one: "capacityReservationId", group: "capacityReservationResourceGroupArn" };
const places: Readonly<Record<string, Place>> = {
  [launchTemplate]: templatePlace,
  [instance]: templatePlace,
  [scalingGroup]: { target, one: "capacityReservationIds", group: "capacityReservationResourceGroupArns" },
  [gpuNodeGroup]: { target: "capacityReservation", one: "id", group: "resourceGroupArn" },
};

/**
 * A preference without a target is valid: instances use any open reservation, or none. A Capacity Block must be named in the
 * launch template of the group, by its id or by a resource group that contains it.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-groups.html
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
    yield* onEach(stack.ofType(launchTemplate, instance), function* (template) {
      yield withoutBlock(template.at(target).path, all(isForBlock(template), not(namesBlock(template))));
    });
    yield* onEach(nodeGroupsIn(stack, managedGroups), function* (group) {
      const type = group.text("capacityType");
      const templates = templatesOf(stack, group);
      const isBlock = all(equals(type, "CAPACITY_BLOCK"), not(hasExternalTemplate(stack, group)));
      const isNamed = any(...templates.map(namesBlock));
      yield withoutBlock(type.path, all(isBlock, not(isNamed)), ", both in the launch template of the group");
      yield failAt(type, all(isBlock, isNamed, not(any(...templates.map(isForBlock)))), {
        got: "a Capacity Block whose launch template has another market type",
        why: "EC2 starts instances in a Capacity Block only with the market type of Capacity Blocks.",
        fix: `set ${marketType} to "capacity-block" in the launch template of the group`,
      });
    });
  },
});

function* ofSpecification(resource: Resource, place: Place): Iterable<Check> {
  const target = resource.at(place.target);
  const [one, group] = [isNamed(target.at(place.one)), isNamed(target.at(place.group))];
  const why =
    "EC2 accepts one target, and rejects two. Without one, a targeted reservation stays unused while you pay for it.";
  const fix = setOne(place);
  const isAbsent = target.entries().isAbsent;
  yield failAt(target, all(not(isAbsent), not(one), not(group)), { got: "no target", why, fix });
  yield failAt(target, all(one, group), { got: "two targets", why, fix });
  if (resource.type === gpuNodeGroup) return;
  const block = resource.at(specification);
  const isEmpty = all(
    block.entries().is(() => true),
    block.text("capacityReservationPreference").isAbsent,
    isAbsent,
  );
  yield failAt({ path: specification }, isEmpty, {
    got: "neither a preference nor a target",
    why: "The block has no effect: instances start on demand while you pay for the reservation.",
    fix,
  });
}

const marketType = "instanceMarketOptions.marketType";

function isForBlock(template: Resource): Truth {
  return equals(template.text(marketType), "capacity-block");
}

function namesBlock(template: Resource): Truth {
  const { one, group } = templatePlace;
  return any(...[one, group].map((key) => isNamed(template.at(`${target}.${key}`))));
}

function withoutBlock(path: string, condition: Truth, where = ""): Check {
  return failAt({ path }, condition, {
    got: "a Capacity Block that is not named",
    why: "EC2 starts instances in a Capacity Block only if the launch template or the instance names the block.",
    fix: `set ${marketType} to "capacity-block", and ${setOne(templatePlace)}${where}`,
  });
}

function setOne({ target, one, group }: Place): string {
  return `set either ${target}.${one} or ${target}.${group}`;
}

/** Whether a string or a list is not empty. */
function isNamed(reader: Reader): Truth {
  return any(
    reader.text().is((text) => text !== ""),
    reader.list().is((items) => items.length > 0),
  );
}
