import { expect, test } from "vitest";
import { normalPath } from "../../../components/core/host-paths";
import { isRuntimeSocket, isSocketPath, isWithin } from "../../../policies/facts/host-paths";

test.for([
  ["/", "/"],
  [" /run/app/ ", "/run/app"],
  ["/run/x/../app", "/run/app"],
  ["/var/run", "/run"],
  ["/var/run/docker.sock", "/run/docker.sock"],
  ["/var/running", "/var/running"],
  ["/opt/var/run/x", "/opt/var/run/x"],
] as const)("%s is %s", ([path, expected]) => {
  expect(normalPath(path)).toBe(expected);
});

test.for([
  ["/etc", ["/etc"], true],
  ["/etc/ssl", ["/data", "/etc/"], true],
  ["/etcetera", ["/etc"], false],
  ["/opt/etc", ["/etc"], false],
  ["/", ["/"], true],
  ["/data", ["/"], false],
  ["/etc", [], false],
] as const)("%s is within %j: %s", ([path, directories, expected]) => {
  expect(isWithin(path, directories)).toBe(expected);
});

test("only the socket itself is the runtime's", () => {
  expect(isRuntimeSocket("/run/containerd/containerd.sock")).toBe(true);
  expect(isRuntimeSocket("/run/containerd/containerd.sock.old")).toBe(false);
  expect(isRuntimeSocket("/run/containerd/containerd.sock.ttrpc")).toBe(true);
  expect(isSocketPath("/run/app/shim.sock.ttrpc")).toBe(true);
  expect(isRuntimeSocket("/run/app/mydocker.sock")).toBe(false);
});
