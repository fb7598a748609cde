import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { releaseNotes } from "../../tools/release-notes";

const changelog =
  "# Changelog\n\nWords.\n\n## 0.2.0 - 2026-12-01\n\n- New.\n\n### Tools\n\n- Newer.\n\n## 0.1.0 - 2026-11-01\n\n- Old.\n";

test("the notes of a release are the section of its version", () => {
  expect(releaseNotes("v0.2.0", "0.2.0", changelog)).toBe("- New.\n\n### Tools\n\n- Newer.\n");
  expect(releaseNotes("v0.1.0", "0.1.0", changelog)).toBe("- Old.\n");
});

test.for([
  ["v0.3.0", "0.2.0", changelog, "The tag is v0.3.0; package.json has 0.2.0."],
  ["", "0.2.0", changelog, "The tag is missing; package.json has 0.2.0."],
  ["v0.3.0", "0.3.0", changelog, 'CHANGELOG.md has no section "## 0.3.0 - YYYY-MM-DD".'],
  ["v1.0.0", "1.0.0", "## 1.0.0 - unreleased\n", 'replace "1.0.0 - unreleased" with "1.0.0 - " and the date'],
] as const)("%s of %s is refused", ([tag, version, text, message]) => {
  expect(() => releaseNotes(tag, version, text)).toThrow(message);
});

test("the changelog begins with the version of the package", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(/^## (\S+) - /m.exec(readFileSync("CHANGELOG.md", "utf8"))?.[1]).toBe(version);
});
