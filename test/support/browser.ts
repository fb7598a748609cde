import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { saySkipped } from "./skips";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const missing =
  "Browser tests are skipped: none of " +
  `${names.join(", ")} is on the PATH. Install Debian's package chromium, or Google Chrome.`;

/** The path of the installed browser. @throws Error if there is none and REQUIRE_BROWSER is 1 */
function findBrowser(): string | undefined {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
  if (found === undefined && process.env["REQUIRE_BROWSER"] === "1") throw new Error(missing);
  if (found === undefined) saySkipped(missing);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Tests in a headless browser. Without an installed one they are skipped, with the reason. */
export function describeInBrowser(title: string, tests: (browser: () => Browser) => void): void {
  const executablePath = findBrowser();
  describe.skipIf(executablePath === undefined)(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      // Chromium refuses its sandbox to root, which containers often are. The pages are the project's own.
      browser = await chromium.launch({ executablePath: executablePath as string, chromiumSandbox: false });
    });
    afterAll(() => browser.close());
    tests(() => browser);
  });
}
