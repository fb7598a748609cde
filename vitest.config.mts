import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // No test times anything: this only ends one that hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: "v8",
      include: ["components/**/*.ts", "policies/**/*.ts", "planner/**/*.ts", "stacks/**/*.ts", "cli/**/*.ts"],
      reporter: ["text-summary"],
      thresholds: { lines: 95, statements: 95, functions: 95 },
    },
  },
});
