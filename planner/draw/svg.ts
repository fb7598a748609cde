import { dotOf } from "./dot/dot";
import type { Picture } from "./graph";

/**
 * Draws a picture as an SVG file. Loads Graphviz (1.2 MB of WebAssembly) only here, when somebody wants a drawing.
 *
 * @throws Error of Graphviz.
 */
export async function svgOf(picture: Picture): Promise<string> {
  const { instance } = await import("@viz-js/viz");
  const viz = await instance();
  return finished(viz.renderString(dotOf(picture), { format: "svg" }), picture);
}

/**
 * Graphviz measures text with the widths of Arial; where a browser has no Arial, a font of the same widths steps in.
 */
const fonts = "Arial, 'Liberation Sans', Arimo, Helvetica, sans-serif";

function finished(svg: string, picture: Picture): string {
  const title = `${picture.title} in ${picture.region}`.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
  return svg
    .replace(/<\?xml[^>]*\?>\s*|<!DOCTYPE[^>]*>\s*|<!--[^]*?-->\s*/g, "")
    .replaceAll("&#45;", "-")
    .replace(/<title>[^<]*<\/title>\s*/g, "")
    .replace(/(<svg[^>]*)>/, `$1 role="img">\n<title>${title}</title>`)
    .replaceAll('font-family="Arial"', `font-family="${fonts}"`);
}
