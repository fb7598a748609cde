type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const expected = { type: "object" };
const listOf = (items: Schema) => ({ type: "array", minItems: 1, items });
const oneOf = (...values: string[]) => ({ enum: values });

/** An object with these keys and no others. */
function closed(properties: Record<string, Schema>, required: string[]): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

const selections = listOf(
  closed(
    {
      type: text,
      all: expected,
      resources: { type: "object", minProperties: 1, additionalProperties: expected },
      ignoreChanges: texts,
      deletedWith: text,
      after: texts,
    },
    ["type", "resources"],
  ),
);
const absent = listOf(closed({ type: text, values: expected }, ["type"]));
const remote = listOf(closed({ type: text, name: text, of: text, values: expected }, ["type", "name", "of", "values"]));
const claims = { config: texts, here: selections, remote, absent };
const loose = { config: texts, at: selections, absent };

const parityRow = closed(
  {
    ...claims,
    terraform: text,
    what: text,
    count: { type: "integer", minimum: 1 },
    arguments: expected,
    each: { type: "object", additionalProperties: { type: "array" } },
    verdict: oneOf("same", "different", "none"),
    differs: texts,
    why: texts,
  },
  ["terraform", "verdict"],
);
const beyondRow = closed({ ...claims, what: text, why: text, gone: { type: "object", additionalProperties: texts } }, [
  "what",
  "why",
]);
const verdict = oneOf("same", "different");

/** What docs/parity/*.yaml may hold, as a JSON schema. */
export const paritySchema = closed(
  {
    network: listOf(parityRow),
    cluster: listOf(parityRow),
    root: listOf(parityRow),
    helm: listOf(parityRow),
    beyond: listOf(beyondRow),
    onDemand: listOf(beyondRow),
    outputs: listOf(closed({ terraform: text, here: text, verdict, value: text, why: text }, ["here"])),
    variables: listOf(
      closed({ ...loose, terraform: text, default: {}, key: text, verdict, why: text }, [
        "terraform",
        "default",
        "key",
        "verdict",
      ]),
    ),
  },
  ["network", "cluster", "root", "helm", "beyond", "onDemand", "outputs", "variables"],
);
