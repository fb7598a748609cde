import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    coverage: {
      provider: "v8",
      include: ["components/**/*.ts", "policies/**/*.ts", "planner/**/*.ts", "stacks/**/*.ts", "cli/**/*.ts"],
      reporter: ["text-summary"],
    },
  },
});
