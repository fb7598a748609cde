import { withoutUndefined } from "../../components/core/reader/records";

/**
 * The nodes in the output of `kubectl describe nodes`, as the API gives them. Only the fields that triage reads are
 * there; the pods and the events at the end are left out.
 *
 * @see https://github.com/kubernetes/kubectl/blob/v0.35.0/pkg/describe/describe.go describeNode
 */
export function describedNodes(text: string): unknown[] {
  return text.split(/^(?=Name: )/m).flatMap((block) => {
    const sections = sectionsOf(block);
    const [name] = sections.get("Name") ?? [];
    return name === undefined ? [] : [nodeOf(name, sections)];
  });
}

type Sections = ReadonlyMap<string, readonly string[]>;

/** The lines of each section: what stands after its name, and the indented lines below. */
function sectionsOf(block: string): Sections {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of block.split("\n")) {
    const [, name, rest = ""] = /^(\w[\w -]*):(.*)$/.exec(line) ?? [];
    if (name !== undefined) sections.set(name, (lines = []));
    const value = (name === undefined ? line : rest).trim();
    if (value !== "" && value !== "<none>") lines.push(value);
  }
  return sections;
}

function nodeOf(name: string, sections: Sections) {
  const lines = (section: string) => sections.get(section) ?? [];
  const values = (section: string, separator: string) =>
    Object.fromEntries(lines(section).map((line) => splitAt(line, separator)));
  return {
    kind: "Node",
    metadata: withoutUndefined({
      name,
      labels: values("Labels", "="),
      creationTimestamp: timeOf(lines("CreationTimestamp")[0]),
    }),
    spec: withoutUndefined({
      providerID: lines("ProviderID")[0],
      unschedulable: lines("Unschedulable")[0] === "true" ? true : undefined,
      taints: lines("Taints").map(taintOf),
    }),
    status: {
      capacity: values("Capacity", ":"),
      allocatable: values("Allocatable", ":"),
      conditions: lines("Conditions").slice(2).map(conditionOf),
      nodeInfo: withoutUndefined({ osImage: values("System Info", ":")["OS Image"] }),
    },
  };
}

function splitAt(line: string, separator: string): [name: string, value: string] {
  const at = line.indexOf(separator);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function taintOf(line: string) {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(line) ?? [];
  return withoutUndefined({ key, value, effect });
}

/** A row of the table, below its two lines of headings. */
function conditionOf(row: string) {
  const [type, status, heartbeat, transition, reason, ...message] = row.split(/ {2,}/);
  return withoutUndefined({
    ...{ type, status, reason, message: message.join("  ") },
    lastHeartbeatTime: timeOf(heartbeat),
    lastTransitionTime: timeOf(transition),
  });
}

/** `Sun, 22 Nov 2026 10:00:00 +0000` as the API writes it. */
function timeOf(text: string | undefined): string | undefined {
  // kubectl writes a missing time as one of the year 1, which JavaScript reads as 2001.
  const time = / 0001 /.test(text ?? "") ? NaN : Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
