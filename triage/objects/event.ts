import { readMeta } from "./common";
import { defined, type Cursor } from "./cursor";

export function readEvent(event: Cursor) {
  const [about, series] = [event.at("involvedObject"), event.at("series")];
  return defined({
    kind: "Event" as const,
    metadata: readMeta(event.at("metadata")),
    involvedObject: defined({
      kind: about.at("kind").text() ?? "",
      namespace: about.at("namespace").name(),
      name: about.at("name").name() ?? "",
      uid: about.at("uid").text(),
    }),
    type: event.at("type").text(),
    reason: event.at("reason").text() ?? "",
    message: event.at("message").text() ?? "",
    count: series.at("count").number() ?? event.at("count").number(),
    firstTimestamp: event.at("firstTimestamp").text(),
    // Events of the newer API have a time and a series in place of two timestamps.
    lastTimestamp:
      series.at("lastObservedTime").text() ?? event.at("lastTimestamp").text() ?? event.at("eventTime").text(),
  });
}
export type Event = ReturnType<typeof readEvent>;
