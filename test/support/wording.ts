import type { Problem } from "../../components/core/problems";

/** The wording of problems, one line each, for the one snapshot of a section. */
export function wording(problems: readonly Problem[]): string {
  return withoutVersions(problems.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`).join("\n"));
}

/** A text with one word for all versions, so that a new pin changes no snapshot. */
export function withoutVersions(text: string): string {
  return text
    .replace(/(?<![\w.:])v?\d+\.\d+\.\d+(-eksbuild\.\d+|-\d{8})?(?!\.?\d)/g, "VERSION")
    .replace(/(?<![\w.:])v?1\.\d\d(?!\.?\d)/g, "MINOR")
    .replace(/"MINOR"(, "MINOR")+/g, '"MINOR", ...');
}
