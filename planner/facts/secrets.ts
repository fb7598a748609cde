import type { RecordedResource } from "../record/record";
import type { Properties } from "../../components/core/wire";

/** Stands where a secret is, as in `pulumi preview`. */
export const secretMark = "[secret]";

/**
 * The inputs of a resource with `[secret]` in place of each secret. Everything that prints inputs goes through here.
 */
export function masked({ inputs, secretPaths }: Pick<RecordedResource, "inputs" | "secretPaths">): Properties {
  const secret = new Set(secretPaths);
  if (secret.size === 0) return inputs;

  // Builds paths the way a recording does. A key with a dot can make two paths read the same: then both are masked.
  const walk = (value: unknown, path: string): unknown => {
    if (path !== "" && secret.has(path)) return secretMark;
    if (Array.isArray(value)) return value.map((item, index) => walk(item, `${path}[${index}]`));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, walk(item, path === "" ? key : `${path}.${key}`)]),
    );
  };

  return walk(inputs, "") as Properties;
}
