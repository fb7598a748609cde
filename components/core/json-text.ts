/** The content of a JSON string; undefined if the string is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The list or object in a JSON string, else the string itself. */
export function parsedOrString(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  const value = parseJson(text);
  return value === undefined ? text : value;
}
