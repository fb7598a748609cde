import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { folder } from "./files";

/** Puts a Pulumi CLI on the PATH that runs this shell script, until the test ends. */
export function usePulumi(script: string): void {
  const bin = folder({ pulumi: `#!/bin/sh\n${script}\n` });
  chmodSync(join(bin, "pulumi"), 0o755);
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
}
