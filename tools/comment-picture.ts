// Draws docs/pull-request-comment.png: the comment on a pull request that changes gpu-lab. Needs Chromium.
//
//   node tools/run.mjs comment-picture
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import markdownIt from "markdown-it";
import { chromium } from "playwright-core";
import { selectedReview } from "../commands/plan/plan-reports";
import { openProject, planStack } from "../planner/plan-stack";
import { readBase } from "../planner/review/review";
import { renderJson } from "../planner/report/json";
import { renderReviewMarkdown } from "../planner/report/review-markdown";
import { served } from "../policies/engine/serve";
import { lab } from "../policies/packs/lab/rules";
import { crc32 } from "node:zlib";

const file = join(__dirname, "..", "docs/pull-request-comment.png");

/** What the pull request of the picture changes. */
const change = ["gpuNodes.instanceType=g6.xlarge", "gpuNodes.maxSize=3"];

/**
 * The page of the picture: the comment as GitHub shows it.
 *
 * @param folder the project, without stacks of the user
 */
export async function commentPage(folder: string): Promise<string> {
  const opened = await openProject(folder);
  const planOf = (stack: string, config: readonly string[]) => planStack(opened, stack, config, served(lab));
  const [base, head, other] = [
    await planOf("gpu-lab", []),
    await planOf("gpu-lab", change),
    await planOf("nccl-block", []),
  ];
  const saved = readBase(JSON.stringify([base, other].map(renderJson)), "base.json");
  const plans = [
    { stack: "gpu-lab", plan: head },
    { stack: "nccl-block", plan: other },
  ];
  const pageOf = ({ rule }: { readonly rule: string }) => `https://example.com/docs/policies/${rule}.md`;
  const review = selectedReview(plans, saved, { changed: false });
  const markdown = renderReviewMarkdown(review, { most: 64_000, pageOf });
  const body = signed(markdownIt({ html: true }).render(markdown));
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><article>${colored(body)}</article>`;
}

/** What the picture says that it shows. */
export function commentMark(page: string): string {
  return createHash("sha256").update(page).digest("hex");
}

/** Signs that every font has, in the colors of GitHub's emoji. */
function signed(html: string): string {
  return html.replaceAll("❌", '<b style="color:#cf222e">✖</b>').replaceAll("✅", '<b style="color:#1a7f37">✔</b>');
}

/** GitHub colors the lines of a difference. */
function colored(html: string): string {
  return html.replace(
    /(<code class="language-diff">)([^]*?)(<\/code>)/g,
    (_, start: string, text: string, end: string) => {
      const kinds: Readonly<Record<string, string>> = { "+": "ins", "-": "del", "!": "mark" };
      const lines = text.split("\n").map((line) => {
        const kind = kinds[line.charAt(0)];
        return kind === undefined ? line : `<${kind}>${line}</${kind}>`;
      });
      return start + lines.join("\n") + end;
    },
  );
}

const style = `
body { margin: 0; background: #fff; font: 14px/1.5 "Noto Sans", "DejaVu Sans", Arial, sans-serif; color: #1f2328; }
article { width: 900px; padding: 8px 16px; border: 1px solid #d1d9e0; border-radius: 6px; margin: 8px; }
h3 { font-size: 18px; margin: 12px 0; } h4 { font-size: 15px; margin: 16px 0 8px; }
table { border-collapse: collapse; } th, td { border: 1px solid #d1d9e0; padding: 5px 12px; vertical-align: top; }
tr:nth-child(even) td { background: #f6f8fa; } a { color: #0969da; text-decoration: none; } sub { color: #59636e; }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px; font: 12px/1.45 "DejaVu Sans Mono", monospace; }
code { font: inherit; } ins, del, mark { text-decoration: none; display: inline-block; width: 100%; }
ins { background: #dafbe1; color: #116329; } del { background: #ffebe9; color: #82071e; }
mark { background: #fff8c5; color: #4d2d00; }`;

export async function main(): Promise<void> {
  const page = await commentPage(join(__dirname, ".."));
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", chromiumSandbox: false });
  try {
    const tab = await browser.newPage({ viewport: { width: 950, height: 400 } });
    await tab.setContent(page);
    writeFileSync(file, withText(await tab.screenshot({ fullPage: true }), "Source", commentMark(page)));
  } finally {
    await browser.close();
  }
}

// Text in the metadata of a PNG file. @see https://www.w3.org/TR/png-3/#11tEXt

/** Bytes of the signature and of the header, which is always first. */
const headLength = 8 + 25;

/** A picture with one more text. */
function withText(png: Buffer, keyword: string, text: string): Buffer {
  const content = Buffer.from(`tEXt${keyword}\0${text}`, "latin1");
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([png.subarray(0, headLength), length, content, checksum, png.subarray(headLength)]);
}
