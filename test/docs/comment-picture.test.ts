import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commentMark, commentPage } from "../../tools/comment-picture";
import { textIn } from "../../tools/comment-picture";
import { ownProject } from "../support/own-project";

test("the picture shows the comment that the renderer writes; node tools/run.mjs comment-picture draws it", async () => {
  const picture = readFileSync("docs/pull-request-comment.png");
  expect(picture.length).toBeLessThan(150_000);
  expect(textIn(picture, "Source")).toBe(commentMark(await commentPage(ownProject)));
});
