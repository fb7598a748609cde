type Path = readonly (string | number)[];

/** Where the texts, numbers and truth values of some parts of a row stand. */
export function leavesOf(row: object, parts: readonly string[]): Path[] {
  const walk = (value: unknown, path: Path): Path[] => {
    if (typeof value !== "object" || value === null) return value === null ? [] : [path];
    const keys: Path = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    return keys.flatMap((key) => walk((value as Record<string | number, unknown>)[key], [...path, key]));
  };
  return parts.flatMap((part) => walk((row as Record<string, unknown>)[part] ?? [], [part]));
}

/** A copy of the row with another value there. */
export function withLeaf<Row extends object>(row: Row, path: Path): Row {
  const copy = structuredClone(row) as Record<string | number, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  at[last] = another(at[last], path);
  return copy as Row;
}

function another(value: unknown, path: Path): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  // What a text must lack changes its meaning only into something the text has.
  return path.includes("lacks") ? "" : `${String(value)}x`;
}
