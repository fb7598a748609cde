import js from "@eslint/js";
import tseslint from "typescript-eslint";
import { roomImports, rooms } from "./tools/room-imports.mjs";

export default tseslint.config(
  {
    ignores: [
      "dist/",
      "coverage/",
      "node_modules/",
      "tools/site/dist/",
      "tools/site/.vitepress/cache/",
      "examples/*/build/",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.ts", "**/*.mts"],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-console": "error",
      eqeqeq: "error",
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 40, skipBlankLines: true, skipComments: true }],
      complexity: ["error", 12],
      // The arguments of a component: an interface that names what its schema infers.
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
    },
  },
  // One list of exports: the library is what a program can import.
  { files: ["components/index.ts"], rules: { "max-lines": "off" } },
  // A test file reads as one list of cases; `describe` callbacks and case tables are long by nature.
  { files: ["test/**/*.ts"], rules: { "max-lines-per-function": "off", "max-lines": "off", complexity: "off" } },
  // vitest passes the fixtures first, and reads from the pattern which of them a callback uses.
  { files: ["test/**/*.ts"], rules: { "no-empty-pattern": ["error", { allowObjectPatternsAsParameters: true }] } },
  {
    files: ["**/*.ts"],
    plugins: { rooms: { rules: { imports: roomImports } } },
    // ESLint's cache ends with a change of its configuration.
    settings: { rooms },
    rules: { "rooms/imports": "error" },
  },
  // Their types come from the packed package, against which test/examples checks them.
  { files: ["examples/**/*.ts"], extends: [tseslint.configs.disableTypeChecked] },
  {
    files: ["planner/report/page/assets/*.js"],
    languageOptions: {
      sourceType: "script",
      globals: { addEventListener: "readonly", document: "readonly", history: "readonly", location: "readonly" },
    },
  },
  {
    files: ["**/*.mjs", "**/*.cjs"],
    languageOptions: {
      globals: {
        __dirname: "readonly",
        require: "readonly",
        process: "readonly",
        console: "readonly",
        fetch: "readonly",
        URL: "readonly",
        structuredClone: "readonly",
      },
    },
  },
);
