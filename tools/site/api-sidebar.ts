import { readFileSync } from "node:fs";
import type { DefaultTheme } from "vitepress" with { "resolution-mode": "import" };
import { linkOf } from "./pages";

/** An entry of the tree that TypeDoc writes. `path` is relative to the folder of its pages. */
interface NavigationItem {
  readonly title: string;
  readonly path?: string | null;
  readonly children?: readonly NavigationItem[];
}

/** The sidebar of the API reference: the entries of the package, their categories, and the exports. */
export function apiSidebar(folder: string): DefaultTheme.SidebarItem[] {
  const tree = JSON.parse(readFileSync(`${folder}/navigation.json`, "utf8")) as readonly NavigationItem[];
  const item = ({ title, path, children }: NavigationItem): DefaultTheme.SidebarItem => ({
    text: title,
    ...(path && { link: linkOf(`${folder}/${path}`) }),
    ...(children && { collapsed: true, items: children.map(item) }),
  });
  return tree.map(item);
}
