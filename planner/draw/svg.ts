import { dotOf } from "./dot";
import type { Picture } from "./picture";

/**
 * Draws a picture as an SVG file. Loads Graphviz (1.2 MB of WebAssembly) only here, when somebody wants a drawing.
 *
 * @throws Error of Graphviz.
 */
export async function svgOf(picture: Picture): Promise<string> {
  return svgOfDot(dotOf(picture), `${picture.title} in ${picture.region}`);
}

/**
 * Draws a text in the language of Graphviz as an SVG file.
 *
 * @param title what a screen reader says of it
 * @throws Error of Graphviz.
 */
export async function svgOfDot(dot: string, title: string): Promise<string> {
  const { instance } = await import("@viz-js/viz");
  const viz = await instance();
  return finished(viz.renderString(dot, { format: "svg" }), title);
}

/**
 * Graphviz measures text with the widths of Arial; where a browser has no Arial, a font of the same widths steps in.
 */
const fonts = "Arial, 'Liberation Sans', Arimo, Helvetica, sans-serif";

function finished(svg: string, title: string): string {
  const text = title.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
  return svg
    .replace(/<\?xml[^>]*\?>\s*|<!DOCTYPE[^>]*>\s*|<!--[^]*?-->\s*/g, "")
    .replaceAll("&#45;", "-")
    .replace(/<title>[^<]*<\/title>\s*/g, "")
    .replace(/(<svg[^>]*)>/, `$1 role="img">\n<title>${text}</title>`)
    .replaceAll('font-family="Arial"', `font-family="${fonts}"`);
}
