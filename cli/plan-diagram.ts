import type { Plan } from "../planner/plan";
import { pictureOf } from "../planner/draw/picture";
import { mermaidOf } from "../planner/draw/mermaid";
import { svgOf } from "../planner/draw/svg";

/** Draws a plan in the format that the file's ending names. */
export async function draw({ recording, region }: Plan, file: string): Promise<string> {
  const picture = pictureOf(recording, region);
  return file.endsWith(".svg") ? await svgOf(picture) : mermaidOf(picture);
}
