import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isInside,
  isOfRuntime,
  scratchDirectory,
  scratchPath,
  socketPath,
} from "../../../../components/workloads/socket/socket-paths";
import { normalPath } from "../../../../components/core/host-paths";
import { problemsIn } from "../../../../components/core/schema";

const scratchPathProblems = (given: unknown) => problemsIn(scratchPath(), given, "path");

test.for([
  ["/run/containerd/containerd.sock", "/run/containerd/containerd.sock"],
  ["/var/run/containerd/containerd.sock", "/run/containerd/containerd.sock"],
  ["//run///containerd/./containerd.sock/", "/run/containerd/containerd.sock"],
  ["/run/eks-gpu-lab/../containerd/containerd.sock", "/run/containerd/containerd.sock"],
  ["/var/lib/../run/docker.sock", "/run/docker.sock"],
  ["/var/running/a", "/var/running/a"],
  ["/var/run", "/run"],
  ["/", "/"],
] as const)("%s is %s", ([path, normal]) => {
  expect(normalPath(path)).toBe(normal);
});

const real = [
  "/run/containerd/containerd.sock",
  "/run/containerd",
  "/run/containerd/",
  "/var/run/containerd/containerd.sock",
  "/run/../run/containerd/containerd.sock",
  "/run//containerd//containerd.sock",
  "/run/containerd/containerd.sock/",
  "/run/eks-gpu-lab/../containerd/containerd.sock",
  "/var/run/eks-gpu-lab/../../run/containerd/containerd.sock",
  "/run/containerd/s/socket",
  "/var/run/docker.sock",
  "/run/docker/docker.sock",
  "/run/crio/crio.sock",
  "/var/run/crio/crio.sock",
  "/run/cri-dockerd.sock",
  "/run/podman/podman.sock",
  "/run/buildkit/buildkitd.sock",
  "/run/dockershim.sock",
  "/var/lib/kubelet/device-plugins/kubelet.sock",
  "/var/lib/kubelet/pod-resources/kubelet.sock",
  "/run/nvidia/driver",
  "/run/systemd/private",
];

describe("an experiment", () => {
  test.for(real)("never changes %s", (path) => {
    const [problem] = scratchPathProblems(path);
    expect(problem).toMatchObject({ path: "path", got: path, code: "not-allowed" });
    expect(problem?.why).toContain("The node needs this path");
    expect(isOfRuntime(path)).toBe(true);
  });

  test.for([
    "/run/a.sock",
    "/run/eks-gpu-lab",
    "/run/eks-gpu-lab/",
    "/run/eks-gpu-lab2/a.sock",
    "/tmp/a/b",
    "/home/a/b",
    "/run/eks-gpu-lab/a/../../x",
  ])("never changes %s either", (path) => expect(scratchPathProblems(path)).toMatchObject([{ code: "not-allowed" }]));

  test.for([
    "/run/eks-gpu-lab/runtime.sock",
    "/var/run/eks-gpu-lab/a/b.sock",
    "/run//eks-gpu-lab/./x/",
    "/run/containerd/../eks-gpu-lab/a",
  ])("may change %s", (path) => expect(scratchPathProblems(path)).toEqual([]));

  test("in every form, a valid path is inside the scratch directory", () => {
    const part = fc.constantFrom(
      "run",
      "var",
      "eks-gpu-lab",
      "containerd",
      "..",
      ".",
      "",
      "docker.sock",
      "a",
      "/",
      " ",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), fc.boolean(), (parts, absolute) => {
        const path = `${absolute ? "/" : ""}${parts.join("/")}`;
        if (scratchPathProblems(path).length > 0) return;
        expect(normalPath(path).startsWith(`${scratchDirectory}/`)).toBe(true);
        expect(normalPath(path).split("/")).not.toContain("..");
        expect(isOfRuntime(path)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

test.for([
  ["run/a/b", "not-allowed"],
  ["/a", "not-allowed"],
  ["/", "not-allowed"],
  ["", "not-allowed"],
  ["/run/a b", "not-allowed"],
  ["/run/a\nb", "not-allowed"],
  ["/run/a;b", "not-allowed"],
  ["/run/$(x)", "not-allowed"],
  ["/run/a=b", "not-allowed"],
  [`/run/${"a".repeat(200)}`, "not-allowed"],
  [5, "wrong-type"],
  [undefined, "missing"],
  [pulumi.output("/run/a"), "wrong-type"],
] as const)("not the path of a socket: %#", ([path, code]) => {
  expect(problemsIn(socketPath(), path, "path")).toMatchObject([{ path: "path", code }]);
});

test("inside a directory", () => {
  expect(isInside("/run/a/b", "/run/a")).toBe(true);
  for (const path of ["/run/a", "/run/ab/c", "/run"]) expect(isInside(path, "/run/a")).toBe(false);
});
