import { statSync } from "node:fs";
import { posix } from "node:path";
import { linkOf } from "./pages";

// Links on the site. In the files they are relative paths, which also work on GitHub and in the npm package.

/** The anchor of a heading, as GitHub forms it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** What the links of all pages lead to. */
export interface LinkTargets {
  /** Markdown files that are pages. */
  readonly pages: ReadonlySet<string>;
  /** Other files that pages link to: the site serves them as they are. */
  readonly files: Set<string>;
}

/** Types that a browser shows or saves as they are. It gets any other file as text. */
const served = /\.(?:json|png|svg|ya?ml)$/;

/** Where the site serves a file of the project that is not a page. */
export function servedPath(file: string): string {
  return served.test(file) ? file : `${file}.txt`;
}

/**
 * The link of a page on the site. A link to a page leads to that page, one to another file of the project to a copy.
 *
 * @param from the page's file, by path from the project's root
 * @throws Error for a link to what is neither a page nor a file.
 */
export function siteLink(from: string, href: string, { pages, files }: LinkTargets): string {
  const [, path = "", anchor = ""] = /^([^#]*)(.*)$/.exec(href) ?? [];
  if (path === "" || /^[a-z]+:/.test(path)) return href;
  const target = posix.normalize(posix.join(posix.dirname(from), decodeURI(path)));
  if (pages.has(target)) return linkOf(target) + anchor;
  if (!statSync(target, { throwIfNoEntry: false })?.isFile())
    throw new Error(`${from} links to ${href}, which is neither a page of the site nor a file of the project.`);
  files.add(target);
  return `/${servedPath(target)}`;
}
