import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { workloadImages } from "../../../../components/core/versions";
import { problemsIn } from "../../../../components/core/schema";
import { command, environment, image, runName } from "../../../../components/workloads/shared/container-schema";
import { podBasics, resources } from "../../../../components/workloads/shared/gpu-pod";
import { priority } from "../../../../components/workloads/shared/priority";
import { awaited, untilReady, untilSucceeded, workloadArgs } from "../../../../components/workloads/shared/workload";
import { testProblems, type WrongCase } from "../../../support/problems";

const digest = `sha256:${"a".repeat(64)}`;

test("every image of a workload is pinned by its digest", () => {
  expect(Object.values(workloadImages).filter((name) => !/@sha256:[0-9a-f]{64}$/.test(name))).toEqual([]);
});

describe("the wait of pulumi up", () => {
  const annotations = (...args: Parameters<typeof awaited>) => awaited(...args).annotations;

  test("ends as soon as the object exists, by default", () => {
    expect(annotations(false, untilReady)).toEqual({ "pulumi.com/waitFor": "jsonpath={.metadata.uid}" });
  });

  // The provider restarts its own timer for pods every minute, so that a pending pod never ends it.
  test("for a pod is a condition with a timeout", () => {
    expect(annotations(true, untilSucceeded)).toEqual({
      "pulumi.com/timeoutSeconds": "600",
      "pulumi.com/waitFor": "jsonpath={.status.phase}=Succeeded",
    });
    expect(annotations(true, untilReady)).toMatchObject({ "pulumi.com/waitFor": "condition=Ready" });
  });

  test("outlasts the deadline of the object", () => {
    expect(annotations(true, { deadlineSeconds: 1200 })).toEqual({ "pulumi.com/timeoutSeconds": "1260" });
    expect(annotations(true)).toEqual({ "pulumi.com/timeoutSeconds": "600" });
  });
});

describe("an image", () => {
  test.for([
    ...Object.values(workloadImages),
    "busybox:1.37.0",
    "ubuntu:22.04",
    "localhost:5000/a:1",
    "registry.example.com:443/team/my__image.x:v1.2-rc.1",
    `registry.example.com/team/image@${digest}`,
    `image:latest@${digest}`,
  ])("%s is exact", (given) => expect(problemsIn(image(), given, "image")).toEqual([]));

  testProblems(
    (given) => problemsIn(image(), given, "image"),
    [
      ["busybox", "version image"],
      ["busybox:latest", "version image"],
      ["nvcr.io/nvidia/cuda:LATEST", "version image"],
      ["localhost:5000/a", "version image"],
      ["a:stable", "version image"],
      ["a:nightly", "version image"],
      ["a/B:1", "not-allowed image"],
      ["", "not-allowed image"],
      [" a:1", "not-allowed image"],
      ["a:1 ", "not-allowed image"],
      ["https://a/b:1", "not-allowed image"],
      ["a@sha256:123", "not-allowed image"],
      ["a:1@md5:123", "not-allowed image"],
      ["a:.1", "not-allowed image"],
      [5, "wrong-type image"],
      [null, "wrong-type image"],
      [["a:1"], "wrong-type image"],
      [pulumi.output("a:1"), "wrong-type image"],
    ],
  );

  test("a registry may have capital letters", () => expect(problemsIn(image(), "A/b:1")).toEqual([]));
});

describe("environment variables", () => {
  const problemsOf = (given: unknown) => problemsIn(environment(["PORT"]), given, "env");

  testProblems(problemsOf, [
    [{ PORT: "1", "a-b": "1", B: "1" }, ["conflict env.PORT", "not-allowed env.a-b"]],
    [{ A: 1, B: pulumi.output("1"), "a b": undefined }, ["wrong-type env.A", "wrong-type env.B", 'missing env["a b"]']],
    [{ constructor: 1 }, "wrong-type env.constructor"],
    [[], "wrong-type env"],
  ]);

  test("right", () => expect(problemsOf({ A_1: "" })).toEqual([]));
});

describe("the command of a container", () => {
  testProblems(
    (given) => problemsIn(command(), given, "command"),
    [
      ["sleep", "wrong-type command"],
      [["sleep", 1], "wrong-type command[1]"],
    ],
  );
});

describe("the name of a run", () => {
  const problemsOf = (given: unknown) => problemsIn(runName(), given, "attempt");

  testProblems(problemsOf, [
    ["", "out-of-range attempt"],
    ["a".repeat(201), "out-of-range attempt"],
    [5, "wrong-type attempt"],
    [pulumi.output("a"), "wrong-type attempt"],
  ]);

  test("right", () => expect(["a", "a".repeat(200)].flatMap(problemsOf)).toEqual([]));
});

describe("a priority", () => {
  const problemsOf = (given: unknown) => problemsIn(priority, given, "priority");

  testProblems(problemsOf, [
    [{ value: 2e9 }, "out-of-range priority.value"],
    [{}, "missing priority.value"],
    [{ value: 1, preempts: "all", name: "a" }, ["unknown-key priority.name", "not-allowed priority.preempts"]],
    [5, "wrong-type priority"],
  ]);

  test("right", () => expect(problemsOf({ value: 1e9, preempts: "never" })).toEqual([]));
});

describe("pods", () => {
  test("GPUs are a limit and no request; memory has both", () => {
    expect(resources({ cpu: "1", memory: "2Gi", gpus: 2, devices: { "vpc.amazonaws.com/efa": "1" } })).toEqual({
      requests: { cpu: "1", memory: "2Gi" },
      limits: { memory: "2Gi", "nvidia.com/gpu": "2", "vpc.amazonaws.com/efa": "1" },
    });
    expect(resources({ cpu: "1", memory: "2Gi", memoryLimit: "4Gi" }).limits).toEqual({ memory: "4Gi" });
  });

  test("they tolerate every taint of the GPU nodes, and run as the user nobody", () => {
    const team = { key: "team", value: "a", effect: "NO_EXECUTE" } as const;
    expect(podBasics([team])).toEqual({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        seccompProfile: { type: "RuntimeDefault" },
      },
      tolerations: [
        { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
        { key: "team", operator: "Exists", effect: "NoExecute" },
      ],
    });
    expect(podBasics([], 0).securityContext).toMatchObject({ runAsNonRoot: false, runAsUser: 0 });
  });
});

describe("the arguments of every workload", () => {
  const problemsOf = (given: unknown) => problemsIn(workloadArgs, given);
  const taint = { key: "a", value: "1", effect: "NO_SCHEDULE" };

  testProblems(problemsOf, [
    [{ namespace: "A", taints: "all", wait: "yes" }, ["not-allowed namespace", "wrong-type wait", "wrong-type taints"]],
    [
      { namespace: 5, taints: [{ key: "a", effect: "NoSchedule" }], wait: null },
      ["wrong-type namespace", "wrong-type wait", "not-allowed taints[0].effect"],
    ],
    [{ taints: [taint, { ...taint, value: "2" }] }, "conflict taints[1]"],
    [{ taints: pulumi.output([]) }, "wrong-type taints"],
  ] satisfies WrongCase[]);

  test.for([
    { namespace: "a", taints: [], wait: false },
    { namespace: pulumi.output("a"), wait: true },
  ])("right %#", (given) => expect(problemsOf(given)).toEqual([]));
});
