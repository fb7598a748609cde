import js from "@eslint/js";
import tseslint from "typescript-eslint";
import { readFileSync } from "node:fs";

/** The rooms of the project and what each may import: CONTRIBUTING.md and docs/architecture.md show the same file. */
const rooms = JSON.parse(readFileSync(new URL("scripts/rooms.json", import.meta.url), "utf8"));
const isWithin = (folder, parent) => folder === parent || folder.startsWith(`${parent}/`);

/** Rejects the imports that a room may not make. */
function importRules({ folder, imports }) {
  const allowed = [folder, ...imports];
  const banned = rooms.filter((other) => !allowed.some((name) => isWithin(other.folder, name)));
  const patterns = banned.map((other) => ({
    regex: `^(\\.\\./)+(${[other.folder, other.folder.replace("components/", "")].join("|")})(/|$)`,
    message: `${folder} must not import ${other.folder}: see the table in CONTRIBUTING.md.`,
  }));
  return { files: [`${folder}/**/*.ts`], rules: { "no-restricted-imports": ["error", { patterns }] } };
}

export default tseslint.config(
  { ignores: ["dist/", "coverage/", "node_modules/"] },
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
  // A test file reads as one list of cases; `describe` callbacks and case tables are long by nature.
  { files: ["test/**/*.ts"], rules: { "max-lines-per-function": "off", "max-lines": "off", complexity: "off" } },
  ...rooms.map(importRules),
  {
    files: ["**/*.mjs", "**/*.cjs"],
    languageOptions: {
      globals: {
        require: "readonly",
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        structuredClone: "readonly",
      },
    },
  },
);
