import { valuesAt } from "../../components/core/reader/paths";
import {
  propertyOf,
  type CloudObject,
  type DeletePolicy,
  type Reference,
  type Request,
  type ResourceModel,
  type CloudState,
} from "./model";

/** @throws CloudError when an input names an object that does not exist */
export function requireReferences(references: readonly Reference[], { cloud, inputs }: Request): void {
  for (const reference of references) {
    for (const value of valuesAt(inputs, reference.path)) {
      if (!cloud.find(reference.to).some((object) => refersTo(reference, value, object))) {
        throw reference.missing(String(value));
      }
    }
  }
}

/** @throws CloudError when another object of the type has the key that must be unique */
export function requireUnique({ type, unique }: ResourceModel, request: Request): void {
  const wanted = unique?.(request.inputs, request);
  if (!wanted) return;
  const taken = request.cloud
    .find(type)
    .some(({ inputs }) => unique?.(inputs, { ...request, inputs })?.key === wanted.key);
  if (taken) throw wanted.error;
}

/** The objects that prevent the deletion of an object, or that are deleted with it. */
export function referrersOf(cloud: CloudState, object: CloudObject): { object: CloudObject; policy: DeletePolicy }[] {
  return cloud.objects.flatMap((referrer) =>
    (cloud.modelOf(referrer.type).references ?? []).flatMap((reference) => {
      const { to, path, onDelete } = reference;
      if (to !== object.type || onDelete === undefined) return [];
      if (!valuesAt(referrer.inputs, path).some((value) => refersTo(reference, value, object))) return [];
      const policy = typeof onDelete === "function" ? onDelete(object, referrer) : onDelete;
      return policy === undefined ? [] : [{ object: referrer, policy }];
    }),
  );
}

function refersTo({ by = "id" }: Reference, value: unknown, object: CloudObject): boolean {
  return propertyOf(object, by) === value;
}
