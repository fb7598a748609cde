/**
 * Descriptions of values in messages. The engine passes secrets to policies in plain text, so a message never contains
 * a string of a resource: only numbers, booleans, words from a closed list, and versions.
 */

/** Shows a number or a boolean as it is, and any other value by its type. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return value === "" ? "an empty string" : "a string";
  return Array.isArray(value) ? "a list" : "an object";
}

/** A version or one bound of a range, with common pre-releases only: any other word may be a secret. */
const versionLike = /^[\^~<>=!]{0,2}v?\d{1,4}(\.(\d{1,5}|[xX*])){0,2}(-((alpha|beta|dev|pre|rc)[.\d]{0,5}|\d{1,3}))?$/;
const otherWords = new Set(["latest", "stable", "main", "devel", "x", "*", "-", "||"]);

/** Shows a version or a range of versions as it is, and any other value by its type. */
export function describeVersion(value: unknown): string {
  if (typeof value !== "string" || value.trim() === "") return describe(value);
  if (value.length > 60) return "a long string";
  const words = value.replace(/([<>=~^!])\s+/g, "$1").trim();
  const shown = words.split(/[\s,]+/).every((word) => otherWords.has(word.toLowerCase()) || versionLike.test(word));
  return shown ? JSON.stringify(value) : "a string that is not a version";
}
