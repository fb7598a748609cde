import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { MarkdownRenderer } from "vitepress" with { "resolution-mode": "import" };
import { flowchartSvg } from "./flowchart";
import { siteLink, type LinkTargets } from "./links";
import { classifyColumns } from "./tables";

// What the site changes in the Markdown of its pages.

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

/** The page that VitePress renders. `realPath` is missing while it indexes the page for the search. */
interface PageEnv {
  readonly path: string;
  readonly realPath?: string;
}

/** The Mermaid flowcharts of the pages as SVG, by their source. @throws Error for one that the site cannot draw */
export async function drawnFlowcharts(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const charts = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/^```mermaid\n([^]*?)^```$/gm)]);
  const drawn = charts.map(async ([, chart = ""]) => [chart, await flowchartSvg(chart)] as const);
  return new Map(await Promise.all(drawn));
}

/** Lets links lead to pages of the site and pictures to their file, draws flowcharts, and lays out tables and code. */
export function siteMarkdown(
  md: MarkdownRenderer,
  targets: LinkTargets,
  flowcharts: ReadonlyMap<string, string>,
): void {
  md.core.ruler.push("site", ({ tokens, env, Token }) => {
    const { path, realPath = path } = env as PageEnv;
    const file = relative(process.cwd(), realPath);
    classifyColumns(tokens);
    for (const token of tokens) {
      token.children &&= token.children.flatMap((child) => linkedPicture(child, Token));
      for (const child of token.children ?? []) setLink(child, (href) => siteLink(file, href, targets));
      if (token.type === "fence" && token.info === "mermaid") draw(token, flowcharts);
      if (token.info === "promql") token.info = "txt"; // The highlighter does not know it.
    }
  });
  for (const rule of ["text", "code_inline"]) {
    const render = md.renderer.rules[rule];
    // Vue would evaluate what is between two braces.
    md.renderer.rules[rule] = (...args) => (render?.(...args) ?? "").replaceAll("{{", "&#123;&#123;");
  }
  const code = md.renderer.rules["code_inline"];
  // A long name such as `aws:eks/cluster:Cluster` may break after its signs. The style sheet limits it to tables.
  md.renderer.rules["code_inline"] = (...args) =>
    (code?.(...args) ?? "").replace(/(?<=[\w;])[:/.,_=](?=[\w&])/g, "$&<wbr>");
  const fence = md.renderer.rules["fence"];
  md.renderer.rules["fence"] = (...args) => {
    const block = fence?.(...args) ?? "";
    const [tokens, at] = args;
    return wraps(tokens[at]) ? block.replace('class="', "$&wrapped ") : block;
  };
  md.renderer.rules["table_open"] = () => '<div class="wide" tabindex="0"><table>\n';
  md.renderer.rules["table_close"] = () => "</table></div>\n";
}

/** Commands, and output that is prose. Columns would lose their alignment. */
function wraps(token: Token | undefined): boolean {
  if (token?.info === "sh") return true;
  return token?.info === "text" && !/\S {3,}\S.*\n.*\S {3,}\S/.test(token.content);
}

/** A picture in a link to its file, which a browser shows at its full size. */
function linkedPicture(token: Token, TokenType: new (type: string, tag: string, nesting: 1 | -1) => Token): Token[] {
  const src = token.type === "image" ? token.attrGet("src") : null;
  if (src === null || /^[a-z]+:/.test(src)) return [token];
  const open = new TokenType("link_open", "a", 1);
  open.attrSet("href", src);
  return [open, token, new TokenType("link_close", "a", -1)];
}

function setLink(token: Token, linkOf: (href: string) => string): void {
  const href = token.type === "link_open" ? token.attrGet("href") : null;
  if (href !== null) token.attrSet("href", linkOf(href));
}

function draw(token: Token, flowcharts: ReadonlyMap<string, string>): void {
  token.type = "html_block";
  token.content = `<figure class="flowchart" tabindex="0" v-pre>${flowcharts.get(token.content)}</figure>\n`;
}
