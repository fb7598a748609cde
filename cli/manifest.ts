import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Reader } from "../components/core/reader/reader";

function manifest(): Reader {
  return new Reader(JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8")));
}

/** The version of this package. */
export function packageVersion(): string {
  return manifest().text("version").value ?? "";
}
