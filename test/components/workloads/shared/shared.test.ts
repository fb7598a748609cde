import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { workloadImages } from "../../../../components/core/versions";
import { podBasics, resources } from "../../../../components/workloads/shared/gpu-pod";
import { imageProblems } from "../../../../components/workloads/shared/images";
import {
  dnsLabelProblems,
  freeTextProblems,
  namespaceProblems,
  serviceNameProblems,
} from "../../../../components/workloads/shared/names";
import { workloadProblems } from "../../../../components/workloads/shared/workload";

const digest = `sha256:${"a".repeat(64)}`;

describe("an image", () => {
  test.for([
    ...Object.values(workloadImages),
    "busybox:1.37.0",
    "ubuntu:22.04",
    "localhost:5000/a:1",
    "registry.example.com:443/team/my__image.x:v1.2-rc.1",
    `registry.example.com/team/image@${digest}`,
    `image:latest@${digest}`,
  ])("%s is exact", (image) => expect(imageProblems("image", image)).toEqual([]));

  test.for([
    ["busybox", "version"],
    ["busybox:latest", "version"],
    ["nvcr.io/nvidia/cuda:LATEST", "version"],
    ["localhost:5000/a", "version"],
    ["a:stable", "version"],
    ["a:nightly", "version"],
    ["A/b:1", undefined],
    ["a/B:1", "not-allowed"],
    ["", "not-allowed"],
    [" a:1", "not-allowed"],
    ["a:1 ", "not-allowed"],
    ["https://a/b:1", "not-allowed"],
    ["a@sha256:123", "not-allowed"],
    ["a:1@md5:123", "not-allowed"],
    ["a:.1", "not-allowed"],
    [5, "wrong-type"],
    [null, "wrong-type"],
    [["a:1"], "wrong-type"],
  ] as const)("%j: %s", ([image, code]) => {
    expect(imageProblems("image", image)[0]?.code).toBe(code);
  });

  test("one that is known later cannot be checked", () => {
    expect(imageProblems("image", pulumi.output("a:1"))).toMatchObject([{ path: "image", code: "wrong-type" }]);
  });

  test("what it says", () => {
    const [problem] = imageProblems("image", "busybox");
    expect(`${problem?.path}: ${problem?.why} -> ${problem?.fix}`).toBe(
      'image: Without a tag it means latest, which is another image on another day, and a newer CUDA may need a newer driver than the nodes have. -> set image to an image such as "registry.example.com/team/image:1.2.3", or add @sha256: and its digest',
    );
  });
});

describe("names", () => {
  test.for(["a", "gpu-probe", "0-a", "a".repeat(63)])("%s is one", (name) => {
    expect(dnsLabelProblems("name", name)).toEqual([]);
  });

  test.for([
    ["", "not-allowed"],
    ["-a", "not-allowed"],
    ["a-", "not-allowed"],
    ["a.b", "not-allowed"],
    ["a_b", "not-allowed"],
    ["Gpu", "not-allowed"],
    ["a\n", "not-allowed"],
    ["a".repeat(64), "out-of-range"],
    [5, "wrong-type"],
    [undefined, "wrong-type"],
  ] as const)("%j is none: %s", ([name, code]) => {
    expect(dnsLabelProblems("name", name).map((problem) => problem.code)).toEqual([code]);
  });

  test("of a Service begin with a letter, and leave room for what is added", () => {
    expect(serviceNameProblems("name", "gpu-1")).toEqual([]);
    expect(serviceNameProblems("name", "1-gpu").map(({ fix }) => fix)).toEqual([
      'begin name with a letter, e.g. "gpu-1-gpu"',
    ]);
    expect(serviceNameProblems("name", "a".repeat(51), 50)).toMatchObject([{ code: "out-of-range" }]);
  });

  test("of a namespace may come from a resource", () => {
    expect(namespaceProblems("namespace", pulumi.output("lab"))).toEqual([]);
    expect(namespaceProblems("namespace", "gpu_lab")).toMatchObject([{ code: "not-allowed" }]);
  });

  test.for([
    ["a", undefined],
    ["", "out-of-range"],
    ["a".repeat(201), "out-of-range"],
    [5, "wrong-type"],
    [pulumi.output("a"), "wrong-type"],
  ] as const)("a free text %#", ([text, code]) => {
    expect(freeTextProblems("attempt", text)[0]?.code).toBe(code);
  });
});

describe("pods", () => {
  test("GPUs are a limit and no request; memory has both", () => {
    expect(resources({ cpu: "1", memory: "2Gi", gpus: 2, devices: { "vpc.amazonaws.com/efa": "1" } })).toEqual({
      requests: { cpu: "1", memory: "2Gi" },
      limits: { memory: "2Gi", "nvidia.com/gpu": "2", "vpc.amazonaws.com/efa": "1" },
    });
    expect(resources({ cpu: "1", memory: "2Gi", memoryLimit: "4Gi" }).limits).toEqual({ memory: "4Gi" });
  });

  test("they tolerate every taint of the GPU nodes, and are nobody", () => {
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

test.for([
  [{ namespace: "a", taints: [], wait: false }, []],
  [{ namespace: pulumi.output("a"), taints: [], wait: true }, []],
  [{ namespace: "A", taints: "all", wait: "yes" }, ["namespace", "taints", "wait"]],
  [
    { namespace: 5, taints: [{ key: "a", effect: "NoSchedule" }], wait: null },
    ["namespace", "taints[0].effect", "wait"],
  ],
  [{ namespace: "a", taints: pulumi.output([]), wait: false }, ["taints"]],
] as const)("what every workload takes %#", ([given, paths]) => {
  expect(workloadProblems(given, "").map(({ path }) => path)).toEqual(paths);
});
