import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type Properties, unwrap, withoutUndefinedInside } from "../../../components/core/wire";
import type { Change } from "../../cloud/changes";
import type { CheckFailure } from "../../cloud/model";
import type { ConfigDifference } from "../config-difference";
import type { Difference } from "../resources/difference";

/** Properties as a message, without undefined values. */
export function toStruct(properties: Properties): Struct {
  return Struct.fromJavaScript(withoutUndefinedInside(properties) as Record<string, JavaScriptValue>);
}

/** The properties of a message, without null values: providers treat null as missing. */
export function fromStruct(message: Struct | undefined): Properties {
  const properties = Object.entries(message?.toJavaScript() ?? {});
  return Object.fromEntries(properties.filter(([, value]) => value !== null));
}

/** The properties of a message without the wrappers of secrets, outputs and references. */
export function plainProperties(message: Struct | undefined): Properties {
  return unwrap(fromStruct(message)).properties;
}

const { DiffChanges } = proto.DiffResponse;
const { Kind } = proto.PropertyDiff;

export function checkResponse(inputs: Properties, failures: readonly CheckFailure[]): proto.CheckResponse {
  return new proto.CheckResponse()
    .setInputs(toStruct(inputs))
    .setFailuresList(
      failures.map(({ property, reason }) => new proto.CheckFailure().setProperty(property).setReason(reason)),
    );
}

export function diffResponse({ changes, changed, replacing, deleteBeforeReplace }: Difference): proto.DiffResponse {
  const response = new proto.DiffResponse()
    .setChanges(changes.length > 0 ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE)
    .setDiffsList([...changed])
    .setReplacesList([...replacing])
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  for (const change of changes) {
    response.getDetaileddiffMap().set(change.path, new proto.PropertyDiff().setKind(kindOf(change)).setInputdiff(true));
  }
  return response;
}

export function diffConfigResponse({ changed, replacing }: ConfigDifference): proto.DiffResponse {
  return new proto.DiffResponse()
    .setChanges(changed.length > 0 ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE)
    .setDiffsList([...changed])
    .setReplacesList([...replacing]);
}

function kindOf({ kind, replaces }: Change): proto.PropertyDiff.Kind {
  if (kind === "add") return replaces ? Kind.ADD_REPLACE : Kind.ADD;
  if (kind === "delete") return replaces ? Kind.DELETE_REPLACE : Kind.DELETE;
  return replaces ? Kind.UPDATE_REPLACE : Kind.UPDATE;
}
