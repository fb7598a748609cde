import type { Properties } from "../../../components/core/wire";
import { valuesAt } from "../../world/paths";
import { propertyOf, type World } from "../../world/world";
import { types } from "../types";
import { shown } from "../values";

/** The zones of the subnets that inputs name, each once. */
export function zonesOf(world: World, inputs: Properties, path: string): string[] {
  const zones = valuesAt(inputs, path).flatMap((id) => {
    const subnet = world.get(types.subnet, shown(id));
    return subnet ? [shown(propertyOf(subnet, "availabilityZone"))] : [];
  });
  return [...new Set(zones)];
}
