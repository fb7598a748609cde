/** What JSON says; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The list or object that a string holds as JSON, else the string itself. */
export function parsedOrString(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  const value = parseJson(text);
  return value === undefined ? text : value;
}
