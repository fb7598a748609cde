import { defineConfig } from "vitest/config";

/** The tests that one run of the mutation test may use: those of the folder it mutates. */
export default defineConfig({
  test: {
    include: process.env["MUTATION_TESTS"]?.split(",") ?? [],
    globalSetup: "test/support/own-project-setup.ts",
    testTimeout: 20_000,
  },
});
