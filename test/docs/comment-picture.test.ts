import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commentMark, commentPage } from "../../tools/comment-picture";
import { ownProject } from "../support/own-project";

test("the picture shows the comment that the renderer writes; node tools/run.mjs comment-picture draws it", async () => {
  const picture = readFileSync("docs/pull-request-comment.png");
  expect(picture.length).toBeLessThan(150_000);
  expect(textIn(picture, "Source")).toBe(commentMark(await commentPage(ownProject)));
});

/** The text of a keyword in the metadata of a PNG file; `undefined` if the picture has none. */
function textIn(png: Buffer, keyword: string): string | undefined {
  for (let at = 8; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const content = png.subarray(at + 4, at + 8 + png.readUInt32BE(at)).toString("latin1");
    if (content.startsWith(`tEXt${keyword}\0`)) return content.slice(`tEXt${keyword}\0`.length);
  }
  return undefined;
}
