import { dotOf } from "./dot";
import { html as escaped } from "./dot-syntax";
import { darkStyle } from "./palette";
import type { Picture } from "./picture";

/** The addresses of the links on boxes, by the id of a node, or by `cluster_` and the id of a box around nodes. */
type BoxLinks = ReadonlyMap<string, string>;

/**
 * Draws a picture as SVG. Loads Graphviz (1.2 MB of WebAssembly) on demand.
 *
 * @param links makes boxes links, for an SVG in an HTML page @default none - the SVG is an image
 * @throws Error of Graphviz.
 */
export async function svgOf(picture: Picture, links: BoxLinks = new Map()): Promise<string> {
  return svgOfDot(dotOf(picture), `${picture.title} in ${picture.region}`, links);
}

/**
 * Draws a graph in the DOT language as SVG.
 *
 * @param title for screen readers
 * @throws Error of Graphviz.
 */
export async function svgOfDot(dot: string, title: string, links: BoxLinks = new Map()): Promise<string> {
  const { instance } = await import("@viz-js/viz");
  const viz = await instance();
  const drawn = viz.renderString(dot, { format: "svg" });
  const svg = postProcessed(links.size === 0 ? drawn : linked(drawn, links), title);
  return withLengths(svg, lengthsIn(viz.renderString(dot, { format: "xdot" })));
}

/** The width of each text by its position, as {@link positionOf} writes it. */
type Lengths = ReadonlyMap<string, number>;

/**
 * The widths by which Graphviz has laid out the texts: `T x y alignment width length -text`.
 * @see https://graphviz.org/docs/outputs/canon/#xdot
 */
function lengthsIn(xdot: string): Lengths {
  const texts = xdot.replace(/\\\r?\n/g, "").matchAll(/\bT (-?[\d.]+) (-?[\d.]+) (?:-1|0|1) ([\d.]+) \d+ -/g);
  return new Map([...texts].map(([, x, y, width]) => [positionOf(Number(x), -Number(y)), Number(width)]));
}

function positionOf(x: number, y: number): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/**
 * The width of a space in Arial, in em. Graphviz counts it twice for a no-break space, which has two bytes. It writes
 * repeated spaces as `&#160;` and counts them once.
 */
const spaceEm = 0.278;

/** Every viewer fits the texts into the widths of the layout, whatever fonts it has. */
function withLengths(svg: string, lengths: Lengths): string {
  const texts = /<text ([^>]*x="([\d.-]+)" y="([\d.-]+)"[^>]*font-size="([\d.]+)"[^>]*)>([^<]*)</g;
  return svg.replace(texts, (whole, attributes: string, x: string, y: string, size: string, content: string) => {
    const measured = lengths.get(positionOf(Number(x), Number(y)));
    if (measured === undefined) return whole;
    const noBreakSpaces = content.split("\u00a0").length - 1;
    const length = measured - noBreakSpaces * spaceEm * Number(size);
    return `<text ${attributes} textLength="${length.toFixed(2)}" lengthAdjust="spacingAndGlyphs">${content}<`;
  });
}

/** Graphviz writes the id of a box as its title. Its own ids would repeat in a page with several pictures. */
function linked(svg: string, links: BoxLinks): string {
  const groups = /<g id="\w+" class="(?:node|cluster)">\s*<title>(\w+)<\/title>[^]*?<\/g>/g;
  return svg
    .replace(groups, (group, id: string) => {
      const link = links.get(id);
      return link ? `<a href="${escaped(link)}">${group}</a>` : group;
    })
    .replace(/<g id="\w+"/g, "<g")
    .replace(/<svg/, '<svg role="group"');
}

/** Graphviz measures text in Arial. The other fonts have the same widths. */
const fonts = "Arial, 'Liberation Sans', Arimo, Helvetica, sans-serif";

function postProcessed(svg: string, title: string): string {
  const isImage = !svg.includes('<svg role="group"');
  const style = isImage ? `\n<style>\n${darkStyle()}</style>` : "";
  return svg
    .replace(/<\?xml[^>]*\?>\s*|<!DOCTYPE[^>]*>\s*|<!--[^]*?-->\s*/g, "")
    .replaceAll("&#45;", "-")
    .replace(/<title>[^<]*<\/title>\s*/g, "")
    .replace(/(<svg[^>]*)>/, `$1${isImage ? ' role="img"' : ""}>\n<title>${escaped(title)}</title>${style}`)
    .replaceAll('font-family="Arial"', `font-family="${fonts}"`);
}
