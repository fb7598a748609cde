import type { Reporter, TestModule } from "vitest/node" with { "resolution-mode": "import" };
import { takeSkips } from "./skips";

/** Prints what the run skips, and why, each reason once. */
export default class SkipsReporter implements Reporter {
  constructor(private readonly options: { readonly omitted: readonly string[] }) {}

  onInit(): void {
    takeSkips(); // Of an earlier process with the same number.
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((one) => [...one.children.allTests("skipped")]);
    const said = takeSkips();
    const notes = skipped.flatMap((test) => {
      const result = test.result();
      const note = result.state === "skipped" ? result.note : undefined;
      return note === undefined || said.some((text) => text.includes(note)) ? [] : [`${test.name}: ${note}`];
    });
    const lines = [...new Set([...said, ...notes])].sort().concat(this.options.omitted);
    if (lines.length > 0) process.stderr.write(`\n${["Skipped, and why:", ...lines].join("\n  ")}\n`);
  }
}
