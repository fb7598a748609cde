import { describe, expect, test } from "vitest";
import { labelProblems } from "../../../../components/nodes/scheduling/labels";

const fixed = { tier: "gpu" };
const problems = (labels: unknown) => labelProblems(labels, "labels", fixed).map((p) => [p.path, p.why]);

test.for([
  ["none", {}],
  ["a plain one", { team: "research" }],
  ["an empty value", { team: "" }],
  ["a domain", { "example.com/team": "a.b_c-d" }],
  ["the group's own again", { tier: "gpu" }],
  ["a domain the kubelet may set", { "node.kubernetes.io/team": "a", "sub.node.kubernetes.io/team": "a" }],
  ["a domain that only ends alike", { "notkubernetes.io/team": "a" }],
  ["63 characters", { ["k".repeat(63)]: "v".repeat(63) }],
] as const)("fine: %s", ([, labels]) => expect(problems(labels)).toEqual([]));

const form =
  "It must be up to 63 letters, digits, dots, dashes and underscores, letters or digits at both ends, after an optional domain and a slash.";
const valueForm =
  "It must be empty, or up to 63 letters, digits, dots, dashes and underscores with letters or digits at both ends.";

describe("refused", () => {
  test.for([
    ["a list", ["a"], "labels", "It must be an object of texts."],
    ["nothing", null, "labels", "It must be an object of texts."],
    [
      "another value for the group's own",
      { tier: "primary" },
      'labels["tier"]',
      'The group sets this label to "gpu" itself: schedulers, charts and the autoscaler count on it.',
    ],
    ["a name with a blank", { "my team": "a" }, 'labels["my team"]', form],
    ["a name too long", { ["k".repeat(64)]: "a" }, `labels["${"k".repeat(64)}"]`, form],
    ["a domain with capitals", { "Example.com/a": "a" }, 'labels["Example.com/a"]', form],
    ["an empty domain", { "/a": "a" }, 'labels["/a"]', form],
    ["a value with a blank", { team: "a b" }, 'labels["team"]', valueForm],
    ["a value too long", { team: "v".repeat(64) }, 'labels["team"]', valueForm],
    ["a truth value", { team: true }, 'labels["team"]', "It must be a text."],
    ["no value", { team: null }, 'labels["team"]', "It must be a text."],
    [
      "Kubernetes' own domain",
      { "node-role.kubernetes.io/worker": "true" },
      'labels["node-role.kubernetes.io/worker"]',
      "Labels of kubernetes.io are reserved: EKS refuses them, or the kubelet does and the node never joins.",
    ],
    [
      "EKS's own domain",
      { "eks.amazonaws.com/nodegroup": "a" },
      'labels["eks.amazonaws.com/nodegroup"]',
      "Labels of eks.amazonaws.com are reserved: EKS refuses them, or the kubelet does and the node never joins.",
    ],
  ] as const)("%s", ([, labels, path, why]) => expect(problems(labels)).toEqual([[path, why]]));

  test("a truth value is told to be a text", () => {
    expect(labelProblems({ team: true }, "labels", {})[0]?.fix).toBe('put it in quotes: "true"');
  });
});
