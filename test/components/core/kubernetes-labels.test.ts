import { expect, test } from "vitest";
import { dnsLabel, labels, newNamespace } from "../../../components/core/kubernetes-names";
import { problemsIn, type Schema } from "../../../components/core/schema";

const short = dnsLabel({ longest: 5 });
const someLabels = labels('{ team: "gpu" }');

test.for<[Schema, unknown]>([
  [dnsLabel(), "0-a"],
  [dnsLabel(), "a".repeat(63)],
  [short, "abcde"],
  [newNamespace("gpu-operator"), "nvidia"],
  [someLabels, {}],
  [someLabels, { "example.com/team": "gpu", empty: "" }],
])("accepts %#", ([schema, given]) => expect(problemsIn(schema, given, "arg")).toEqual([]));

const wrong: [schema: Schema, given: unknown, code: string, path: string][] = [
  [dnsLabel(), 1, "wrong-type", "arg"],
  [dnsLabel(), "", "not-allowed", "arg"],
  [dnsLabel(), "GPU", "not-allowed", "arg"],
  [dnsLabel(), "a-", "not-allowed", "arg"],
  [dnsLabel(), "a".repeat(64), "out-of-range", "arg"],
  [short, "abcdef", "out-of-range", "arg"],
  [newNamespace("gpu-operator"), "kube-system", "not-allowed", "arg"],
  [someLabels, ["a"], "wrong-type", "arg"],
  [someLabels, { team: 1 }, "wrong-type", "arg.team"],
  [someLabels, { team: "a b" }, "not-allowed", "arg.team"],
  [someLabels, { "a b": "c" }, "not-allowed", 'arg["a b"]'],
];

test.for(wrong)("rejects %#", ([schema, given, code, path]) => {
  expect(problemsIn(schema, given, "arg").map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("wording", () => {
  const texts = wrong.flatMap(([schema, given]) =>
    problemsIn(schema, given, "arg").map(({ why, fix }) => `${why} | ${fix}`),
  );
  expect(texts.join("\n")).toMatchInlineSnapshot(`
    "Must be a string. | set arg to a name such as "gpu-lab"
    Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set arg to a name such as "gpu-lab"
    Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set arg to a name such as "gpu-lab"
    Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set arg to a name such as "gpu-lab"
    Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set arg to a name such as "gpu-lab"
    Must be 1 to 5 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set arg to a name such as "gpu-lab"
    Every cluster already has this namespace. The component creates its own namespace, with the label privileged. | set arg to another name, such as "gpu-operator"
    Must be an object. | set arg to an object such as { team: "gpu" }
    Must be a string. | put it in quotes: "1"
    Must be empty, or up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit. | set arg.team to a string such as "research"
    Must be up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit, after an optional domain and a slash. | use a name such as "team" or "example.com/team""
  `);
});
