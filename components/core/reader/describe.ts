/**
 * How a message may speak of a value. The engine hands secrets to policies in plain text, so a text of a resource is
 * never printed: only numbers, booleans, words from a closed list, and versions.
 */

/** Names what stands there: a number or boolean itself, anything else by its kind. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return value === "" ? "an empty text" : "a text";
  return Array.isArray(value) ? "a list" : "an object";
}

/** A version or one bound of a range. Of pre-releases only the usual ones: any other word may be a secret. */
const versionLike = /^[\^~<>=!]{0,2}v?\d{1,4}(\.(\d{1,5}|[xX*])){0,2}(-((alpha|beta|dev|pre|rc)[.\d]{0,5}|\d{1,3}))?$/;
const otherWords = new Set(["latest", "stable", "main", "devel", "x", "*", "-", "||"]);

/** Names a version or a range of versions as it stands there if it looks like one, else by its kind. */
export function describeVersion(value: unknown): string {
  if (typeof value !== "string" || value.trim() === "") return describe(value);
  if (value.length > 60) return "a long text";
  const words = value.replace(/([<>=~^!])\s+/g, "$1").trim();
  const shown = words.split(/[\s,]+/).every((word) => otherWords.has(word.toLowerCase()) || versionLike.test(word));
  return shown ? JSON.stringify(value) : "a text that is no version";
}
