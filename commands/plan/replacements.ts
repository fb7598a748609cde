import type { PlanDifference, ResourceChange } from "../../planner/diff/diff";
import type { PropertyChange } from "../../planner/diff/property-changes";
import { awsModels, eksModels } from "../../simulation/aws/models";
import { replacesObject } from "../../simulation/cloud/changes";

const models = new Map([...awsModels, ...eksModels].map((model) => [model.type, model]));

/**
 * Marks the properties whose change replaces their resource, for the types of AWS resources that the simulated account has.
 * Resources of two stacks replace nothing.
 */
export function withReplacements<D extends PlanDifference>(difference: D): D {
  return { ...difference, changed: difference.changed.map(marked) };
}

function marked(change: ResourceChange): ResourceChange {
  const model = change.from.urn === change.to.urn ? models.get(change.to.type) : undefined;
  if (!model) return change;
  const replaces = ({ path, from, to }: PropertyChange) =>
    replacesObject(model, path, from === undefined ? "add" : to === undefined ? "delete" : "update");
  return { ...change, properties: change.properties.map((one) => (replaces(one) ? { ...one, replaces: true } : one)) };
}
