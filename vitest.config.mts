import { defineConfig } from "vitest/config";

/** Tests that replace modules, the price table or the runtime: each file needs modules of its own. */
const mocking = [
  "test/components/cost/{cost-lines,environment-cost,price-lookup}.test.ts",
  "test/components/core/helm-release.test.ts",
  "test/components/environment/gpu-environment-parts.test.ts",
  "test/commands/rehearsed-session.test.ts",
  "test/docs/samples.test.ts",
  "test/commands/leftovers/foreign-adoption.test.ts",
  "test/planner/cost/cost.test.ts",
  "test/commands/gpu/session/{cost,moto}.test.ts",
  "test/simulation/{mocks,mocked-programs}.test.ts",
];

/** Tests of the packed package, which is packed and installed once for all of them. */
const installed = ["test/package/**/*.test.ts", "test/examples/**/*.test.ts"];

/** Provides this project without the stacks of the user. */
const ownProject = "test/support/own-project-setup.ts";

/** Each file takes minutes on one core: attacks on an account, all spoilt inputs, alerts over hours, each page in a browser. */
const long = "test/**/*.long.test.ts";

/** Tests that take minutes run only if the command line has their project or path. */
const isAskedFor = (pattern: RegExp) => process.argv.some((arg) => pattern.test(arg));
const hasLong = isAskedFor(/^(--project=)?long$|\.long\.test/);
const hasCluster = isAskedFor(/^(--project=)?cluster$|^test\/cluster\//);
const omitted = [
  ...(hasLong ? [] : ["Tests that take minutes are left out: npm run test:long."]),
  ...(hasCluster ? [] : ["Tests on a control plane are left out: npm run test:cluster."]),
];
/** A run of some files leaves out nothing that was meant. */
const isWhole = !isAskedFor(/^(test\/|--project|-t$)/);

export default defineConfig({
  test: {
    // Vitest leaves one core free by default, which doubles the time on two.
    maxWorkers: "100%",
    // Most objects of tests die young. With room for them, less is copied: a seventh of the time of what plans and judges.
    execArgv: ["--max-semi-space-size=64"],
    // A run translates only what has changed since the last one: a quarter of the time of a small file of tests.
    experimental: { fsModuleCache: true },
    // No test times anything: this only ends one that hangs, also on a machine with a load of 30.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Vitest's defaults depend on the variable CI. Tests run everywhere in the same way.
    update: "none",
    allowOnly: false,
    reporters: [["./test/support/skips-reporter.ts", { omitted: isWhole ? omitted : [] }], "default"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/engine/**", "test/cluster/!(quotes).test.ts", ...installed, ...mocking, long],
          globalSetup: ownProject,
          setupFiles: "test/setup.ts",
          // Files share what they import, which saves a third of the time. They pass in any order.
          isolate: false,
        },
      },
      { extends: true, test: { name: "mocks", include: mocking, globalSetup: ownProject } },
      {
        extends: true,
        test: {
          name: "long",
          include: hasLong ? [long] : [],
          globalSetup: ownProject,
          setupFiles: "test/setup.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: installed,
          globalSetup: [ownProject, "test/package/setup.ts", "test/engine/support/setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "engine",
          include: ["test/engine/**/*.test.ts"],
          globalSetup: [ownProject, "test/engine/support/setup.ts"],
          // After the unit tests, and two files at a time: a command waits for itself half of its time.
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "cluster",
          include: hasCluster ? ["test/cluster/**/*.test.ts"] : [],
          exclude: ["test/cluster/quotes.test.ts"],
          globalSetup: [ownProject, "test/cluster/support/setup.ts"],
          // Each worker has a control plane.
          sequence: { groupOrder: 2 },
          maxWorkers: 2,
        },
      },
    ],
    coverage: {
      enabled: process.env["REQUIRE_COVERAGE"] === "1",
      provider: "v8",
      include: [
        "components/**/*.ts",
        "policies/**/*.ts",
        "planner/**/*.ts",
        "simulation/**/*.ts",
        "triage/**/*.ts",
        "aws/**/*.ts",
        "stacks/**/*.ts",
        "commands/**/*.ts",
      ],
      // esbuild translates and runs the examples, outside of what vitest measures.
      exclude: ["policies/rules/**/*.example.ts"],
      reporter: ["text-summary"],
      thresholds: { lines: 95, statements: 95, functions: 95 },
    },
  },
});
