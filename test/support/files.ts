import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder with these files that lasts as long as the test. */
export function folder(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), "eks-gpu-lab-"));
  // A process that the test has ended can still write its last file.
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10 }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), content);
  }
  return dir;
}
