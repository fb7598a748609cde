import { expect, test } from "vitest";
import { problemsIn, withDefaults } from "../../../components/core/parse";
import { InputError } from "../../../components/core/problems";
import { environment as environmentSchema } from "../../../components/environment/gpu-environment-schema";

const cidrs = { publicAccessCidrs: ["203.0.113.0/24"] };

/** The message of the first problem of these arguments. */
const messageOf = (args: object, at = "") => {
  const problems = problemsIn(environmentSchema, { ...cidrs, ...args }, at);
  return new InputError("x", problems).message.split("\n")[1];
};

test.for([
  [{ gpuNodes: { desiredSize: 3 } }, /^ {2}gpuNodes\.desiredSize: got 3\./],
  [{ gpuNodes: { maxSize: 3, minSize: 4 } }, /got/],
  [{ network: { zones: ["us-east-1a", "us-east-1b"] }, gpuNodes: { azIndex: 2 } }, /azIndex: got 2\./],
  [
    { gpuNodes: { efa: true, instanceType: "g5.8xlarge" }, gpuOperator: { enabled: true } },
    /chartVersion: the default is "v26\.3\.\d"\./,
  ],
] as const)("of %j, a value that was not stated is called the default", ([args, message]) => {
  expect(messageOf(args)).toMatch(message);
});

test("the path of a component counts from its own arguments", () => {
  const problem = { code: "conflict", got: 1, why: "No.", fix: "change it" } as const;
  const paths = ["lab.a.b", "lab.a.c", "lab.list[0]", "lab.gone[0]"];
  const marked = withDefaults(
    paths.map((path) => ({ ...problem, path })),
    { a: { b: 1 }, list: [7] },
    "lab",
  );
  expect(marked.map(({ isDefault = false }) => isDefault)).toEqual([false, true, false, true]);
  expect(withDefaults([{ ...problem, path: "gone", got: undefined }], {})).toEqual([
    { ...problem, path: "gone", got: undefined },
  ]);
  for (const path of ["the AWS account", "aws:region"]) {
    expect(withDefaults([{ ...problem, path }], {})).toEqual([{ ...problem, path }]);
  }
  for (const given of [Promise.resolve(1), 7, [1]]) {
    expect(withDefaults([{ ...problem, path: "lab" }], given, "lab")).toEqual([{ ...problem, path: "lab" }]);
  }
});
