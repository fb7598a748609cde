import type { Properties } from "../../components/core/wire";

/** The values at a path of inputs: `vpcId`, `launchTemplate.id`, `subnetIds[*]`. What is not there gives none. */
export function valuesAt(inputs: Properties, path: string): unknown[] {
  const steps = path.replaceAll("[*]", ".*").split(".");
  let values: unknown[] = [inputs];
  for (const step of steps) {
    values = values.flatMap((value) => {
      if (step === "*") return Array.isArray(value) ? (value as unknown[]) : [];
      if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
      return Object.hasOwn(value, step) ? [(value as Properties)[step]] : [];
    });
  }
  return values.filter((value) => value !== undefined && value !== null);
}

/** Whether a change at one place changes the other. */
export function touches(path: string, part: string): boolean {
  return within(path, part) || within(part, path);
}

/** `launchTemplate.version` is part of `launchTemplate` and of itself, not of `launch`. */
export function within(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}[`);
}
