import { expect, test } from "vitest";
import { imageTagPinned as rule } from "../../../../policies/rules/pods/image-tag-pinned";
import { everyKind, patched, pod, podOf } from "../../support/pods";
import { findings, unknown, verdicts } from "../../support/verdicts";

const at = "spec.containers[0].image";
const digest = `sha256:${"0a".repeat(32)}`;

test.for([
  ["nginx:1.29", []],
  ["nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04", []],
  ["registry.example:5000/app:v1", []],
  [`nginx@${digest}`, []],
  [`nginx:latest@${digest}`, []],
  [`registry.example:5000/app@${digest}`, []],
  ["nginx:latest-alpine", []],
  ["nginx", [`fail ${at}`]],
  ["nginx:latest", [`fail ${at}`]],
  ["nginx:", [`fail ${at}`]],
  ["registry.example:5000/app", [`fail ${at}`]],
  ["registry.example:5000/app:latest", [`fail ${at}`]],
  ["ghcr.io/huggingface/text-generation-inference:main", [`fail ${at}`]],
  ["vllm/vllm-openai:nightly", [`fail ${at}`]],
  ["vllm/vllm-openai:nightly-20251101", []],
  ["ghcr.io/team/app:main-0a1b2c3", []],
  ["nginx@", [`fail ${at}`]],
  [" nginx:latest ", [`fail ${at}`]],
  ["", [`fail ${at}`]],
  [undefined, []],
  [7, []],
  [unknown, [`unknown ${at}`]],
] as const)("%j", ([image, expected]) => {
  expect(verdicts(rule, [podOf({ image })])).toEqual(expected);
});

test("the pods of every kind, whatever container", () => {
  for (const [path, of] of everyKind({ initContainers: [{ image: "busybox" }] })) {
    expect(verdicts(rule, [of])).toEqual([`fail ${path}.initContainers[0].image`]);
    expect(verdicts(rule, [patched(of)])).toEqual([`fail ${path}.initContainers[0].image`]);
  }
  expect(verdicts(rule, [pod({ containers: [{ image: unknown }, { image: "busybox" }] })])).toEqual([
    "fail spec.containers[1].image",
  ]);
  expect(verdicts(rule, [pod({ containers: unknown })])).toEqual(["unknown spec.containers"]);
});

test("tags, digests and names can be configured", () => {
  const said = (image: unknown, config: object) =>
    verdicts(rule, [podOf({ image })], { policyConfig: { [rule.id]: { ...config } } });
  expect(said("nginx:stable", { floating: ["latest", "stable"] })).toEqual([`fail ${at}`]);
  expect(said("nginx:latest", { floating: [] })).toEqual([]);
  expect(said("nginx", { floating: [] })).toEqual([`fail ${at}`]);
  expect(said("nginx:1.29", { digestsFor: [""] })).toEqual([`advise ${at}`]);
  expect(said("nginx:latest", { digestsFor: [""] })).toEqual([`fail ${at}`]);
  expect(said("nginx:1.29", { digestsFor: ["nvcr.io/"] })).toEqual([]);
  expect(said(`nginx@${digest}`, { digestsFor: [""] })).toEqual([]);
  expect(said(unknown, { digestsFor: [""] })).toEqual([`unknown ${at}`]);
  expect(said("nginx", { exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const policyConfig = { [rule.id]: { floating: ["hunter2"], digestsFor: [""] } };
  const images = ["hunter2.example/app", "app:hunter2", "app:1-hunter2"];
  const said = findings(
    rule,
    images.map((image) => podOf({ image })),
    { policyConfig },
  );
  expect(said).toHaveLength(3);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const policyConfig = { [rule.id]: { digestsFor: [""] } };
  const images = ["nginx", "nginx:latest", "nginx:1.29"].map((image) => podOf({ image }));
  const said = findings(rule, images, { policyConfig });
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.containers[0].image: got an image without a tag. The next node pulls the newest image of that day. Its pods can then differ from those that run.
    fix: set a version or a digest in spec.containers[0].image",
      "spec.containers[0].image: got the tag "latest". The next node pulls the newest image of that day. Its pods can then differ from those that run.
    fix: set a version or a digest in spec.containers[0].image",
      "spec.containers[0].image: got the tag "1.29" without a digest. The publisher can move a tag to another image.
    fix: append @sha256: and the digest of the image to spec.containers[0].image",
    ]
  `);
});

test.for([
  [{ image: "redis" }, false],
  [{ image: "registry.example.com/team/web:latest" }, false],
  [{ image: "nvcr.io/nvidia/pytorch" }, true],
  [{ image: "acme/cuda-samples:latest" }, true],
  [{ image: "acme/train", resources: { limits: { "nvidia.com/gpu": 1 } } }, true],
  [{ image: "acme/train", resources: { limits: { "nvidia.com/mig-1g.10gb": 1 } } }, true],
] as const)("of %j, CUDA is named: %s", ([container, isNamed]) => {
  const [finding] = findings(rule, [podOf(container)]);
  expect(finding?.message.includes("CUDA")).toBe(isNamed);
});
