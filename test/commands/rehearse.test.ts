import { afterEach, expect, test, vi } from "vitest";
import { runCli } from "../support/cli";

afterEach(() => void vi.unstubAllEnvs());

test("without the Pulumi CLI the rehearsal says what is missing and how to get it", async () => {
  vi.stubEnv("PATH", "/nonexistent");
  const { status, out, err } = await runCli(["rehearse"]);
  expect([status, out]).toEqual([2, ""]);
  expect(err).toContain("pulumi: The Pulumi CLI is not installed, or not on your PATH. A rehearsal needs it.");
  expect(err).toContain("fix: install the Pulumi CLI: https://www.pulumi.com/docs/install/");
});

test("every mistake in the command line is reported at once", async () => {
  const { status, err } = await runCli(["rehearse", "--quota", "many", "--change", "nccl", "--chang", "x"]);
  expect(status).toBe(2);
  expect(err).toContain("3 problems");
  expect(err).toContain('--quota: got "many". ');
  expect(err).toContain('--change: got "nccl". ');
  expect(err).toContain("use, for example, --quota 8");
  expect(err).toContain("use, for example, --change nccl=blocked");
  expect(err).toContain("did you mean --change?");
});

test("the help tells what a rehearsal proves", async () => {
  const { status, out } = await runCli(["rehearse", "--help"]);
  expect(status).toBe(0);
  expect(out).toContain("No account, no network, no money");
});
