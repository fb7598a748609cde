import { posix } from "node:path";

/** The normal form of a path: no `..`, no `//`, no trailing slash, and `/run` for `/var/run`, which is a link to it. */
export function normalPath(path: string): string {
  const short = posix.normalize(path.trim()).replace(/(?<=.)\/$/, "");
  return short.replace(/^\/var\/run(?=\/|$)/, "/run");
}
