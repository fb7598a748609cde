import { dotOf } from "./dot";
import type { Picture } from "./picture";

/**
 * Draws a picture as SVG. Loads Graphviz (1.2 MB of WebAssembly) on demand.
 *
 * @throws Error of Graphviz.
 */
export async function svgOf(picture: Picture): Promise<string> {
  return svgOfDot(dotOf(picture), `${picture.title} in ${picture.region}`);
}

/**
 * Draws a graph in the DOT language as SVG.
 *
 * @param title for screen readers
 * @throws Error of Graphviz.
 */
export async function svgOfDot(dot: string, title: string): Promise<string> {
  const { instance } = await import("@viz-js/viz");
  const viz = await instance();
  return postProcessed(viz.renderString(dot, { format: "svg" }), title);
}

/** Graphviz measures text in Arial. The other fonts have the same widths. */
const fonts = "Arial, 'Liberation Sans', Arimo, Helvetica, sans-serif";

function postProcessed(svg: string, title: string): string {
  const text = title.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
  return svg
    .replace(/<\?xml[^>]*\?>\s*|<!DOCTYPE[^>]*>\s*|<!--[^]*?-->\s*/g, "")
    .replaceAll("&#45;", "-")
    .replace(/<title>[^<]*<\/title>\s*/g, "")
    .replace(/(<svg[^>]*)>/, `$1 role="img">\n<title>${text}</title>`)
    .replaceAll('font-family="Arial"', `font-family="${fonts}"`);
}
