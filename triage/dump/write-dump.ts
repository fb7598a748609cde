import { allObjects } from "../objects/kinds";
import { dumpVersion, type Dump } from "./dump";

/** The file of `--save`: a Kubernetes-style list of cut-down objects, with what else a triage needs beside it. */
export function writeDump(dump: Dump): string {
  const { takenAt, context, subject, namespace, read, unread, logs, journal, objects } = dump;
  const file = {
    kind: "TriageDump",
    version: dumpVersion,
    ...(takenAt !== undefined && { takenAt }),
    ...(context !== undefined && { context }),
    ...(subject && { subject }),
    ...(namespace !== undefined && { namespace }),
    read,
    unread,
    logs,
    journal,
    items: allObjects(objects),
  };
  return `${JSON.stringify(file, null, 1)}\n`;
}
