import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";

/** An optional registry and path, a tag, a digest. @see https://github.com/distribution/reference/blob/v0.6.0/regexp.go */
const reference =
  /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** Tags that their publishers move. */
const floating = /^(latest|stable|edge|main|master|nightly|dev|devel|current|release)$/i;

/** An image by exact tag or by digest: a lab that pulls another image on another day measures another thing. */
export function imageProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const example = "registry.example.com/team/image:1.2.3";
  const fix = `set ${path} to an image such as "${example}", or add @sha256: and its digest`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  const parts = reference.exec(got);
  if (!parts) return [{ code: "not-allowed", path, got, why: "It is no reference of an image.", fix }];
  const [, tag, digest] = parts;
  if (digest !== undefined || (tag !== undefined && !floating.test(tag))) return [];
  const lack = tag === undefined ? "Without a tag it means latest, which" : `The tag ${tag}`;
  const why = `${lack} is another image on another day, and a newer CUDA may need a newer driver than the nodes have.`;
  return [{ code: "version", path, got, why, fix }];
}
