/**
 * The colors of the diagrams. Text has a contrast of at least 4.5 to its background. Diagrams have a background of their
 * own, which {@link darkStyle} makes dark.
 *
 * @see https://primer.style/product/primitives/color/
 */
export const palette = {
  text: "#1f2328",
  muted: "#59636e",
  ground: "#ffffff",
  vpc: { stroke: "#59636e", fill: "#f6f8fa" },
  zone: { stroke: "#818b98", fill: "#ffffff" },
  public: { stroke: "#1a7f37", fill: "#dafbe1" },
  private: { stroke: "#0969da", fill: "#ddf4ff" },
  existing: { stroke: "#59636e", fill: "#eff2f5" },
  gpu: { stroke: "#9a6700", fill: "#fff8c5" },
  control: { stroke: "#8250df", fill: "#fbefff" },
  plain: { stroke: "#59636e", fill: "#ffffff" },
  nodeToNode: "#116329",
  vpcWide: "#0969da",
  blocked: "#cf222e",
  broken: "#ffebe9",
} as const;

/** The dark counterpart of each color. The contrast is at least that of the light ones. */
const darkColors: Readonly<Record<string, string>> = {
  [palette.text]: "#e6edf3",
  [palette.muted]: "#9aa4b0",
  [palette.ground]: "#11161d",
  [palette.vpc.fill]: "#171d25",
  [palette.zone.stroke]: "#5c6773",
  [palette.public.stroke]: "#3fb950",
  [palette.public.fill]: "#12281a",
  [palette.private.stroke]: "#58a6ff",
  [palette.private.fill]: "#10233b",
  [palette.existing.fill]: "#1f2630",
  [palette.gpu.stroke]: "#d9a520",
  [palette.gpu.fill]: "#322a10",
  [palette.control.stroke]: "#b48cf2",
  [palette.control.fill]: "#251b38",
  [palette.nodeToNode]: "#56d364",
  [palette.blocked]: "#ff7b72",
  [palette.broken]: "#3b1d1f",
};

/**
 * The style sheet of a diagram for a reader with a dark theme. Its colors are attributes, which rules override. Paper is
 * light.
 *
 * @param scope a selector before each rule, for a diagram in a page
 */
export function darkStyle(scope = ""): string {
  const rules = Object.entries(darkColors).flatMap(([light, dark]) => [
    `${scope}[fill="${light}"]{fill:${dark}}`,
    `${scope}[stroke="${light}"]{stroke:${dark}}`,
  ]);
  return `@media screen and (prefers-color-scheme: dark){\n${rules.join("\n")}\n}\n`;
}
