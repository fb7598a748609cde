import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { isRecord } from "../../../components/core/reader/records";
import { unwrap, type Properties } from "../../../components/core/wire";

/** Properties as a message. What is undefined is left out. */
export function toStruct(properties: Properties): Struct {
  return Struct.fromJavaScript(withoutUndefined(properties) as Record<string, JavaScriptValue>);
}

/** The properties in a message. A property that is null is left out: providers take it for none. */
export function fromStruct(message: Struct | undefined): Properties {
  const properties = Object.entries(message?.toJavaScript() ?? {});
  return Object.fromEntries(properties.filter(([, value]) => value !== null));
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => (item === undefined ? null : withoutUndefined(item)));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutUndefined(item)]));
}

/** The properties in a message without the wrappers of secrets, outputs and references. */
export function plainProperties(message: Struct | undefined): Properties {
  return unwrap(fromStruct(message)).properties;
}
