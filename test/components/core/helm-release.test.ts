import * as pulumi from "@pulumi/pulumi";
import { expect, test, vi } from "vitest";
import { makeRelease } from "../../../components/core/helm-release";

test("every release that Helm does not report as deployed gets a warning", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: ({ inputs, name }) => {
      const status = name === "without-status" ? {} : { status: { status: name } };
      return { id: `apps/${name}`, state: { ...(inputs as object), ...status } };
    },
  });
  for (const status of ["deployed", "without-status", "failed", "pending-install", "pending-upgrade"]) {
    makeRelease(status, { chart: "redis" }, undefined, {});
  }
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(3));
  const messages = warn.mock.calls.map(([message]) => message);
  expect(messages).toContain(
    "Helm release apps/failed has the status failed: the cluster may run an older version of the chart, or only parts " +
      "of it. If this run does not update the release, install it again: " +
      "pulumi up --target-replace 'urn:pulumi:stack::project::kubernetes:helm.sh/v3:Release::failed'",
  );
  expect(messages).toContainEqual(expect.stringContaining("apps/pending-install has the status pending-install:"));
  expect(messages).toContainEqual(expect.stringContaining("apps/pending-upgrade has the status pending-upgrade:"));
});
