import { allObjects, resourceNames } from "../objects/kinds";
import type { Dump } from "./dump";
import { defined } from "../objects/cursor";
import { grouped } from "./read-dump";

/** Several files as one dump: `kubectl get` writes one file for each command. What any of them has is there. */
export function mergeDumps([first, ...others]: readonly [Dump, ...Dump[]]): Dump {
  return others.reduce(merged, first);
}

function merged(one: Dump, other: Dump): Dump {
  const all = [...allObjects(one.objects), ...allObjects(other.objects)];
  const read = resourceNames.filter((name) => one.read.includes(name) || other.read.includes(name));
  return {
    ...one,
    ...other,
    ...defined({ takenAt: later(one.takenAt, other.takenAt) }),
    read,
    unread: [...one.unread, ...other.unread].filter(({ what }) => !read.some((name) => name === what)),
    objects: grouped(all),
    logs: [...one.logs, ...other.logs],
    journal: [...one.journal, ...other.journal],
  };
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  return one !== undefined && (other === undefined || one > other) ? one : other;
}
