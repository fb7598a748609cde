import { expect, test } from "vitest";
import { rulePages } from "../../../policies/engine/define-pack";

const repository = { url: "git+https://example.com/o/r.git" };

test.each([
  ["the repository", { version: "1.2.3", repository, homepage: "https://h" }, "https://example.com/o/r/blob/v1.2.3"],
  ["the homepage without a repository", { homepage: "https://example.com/h/#readme" }, "https://example.com/h"],
  ["no homepage that is no URL", { homepage: "example.com" }, undefined],
  ["neither", {}, undefined],
])("the pages of rules are those of %s", (_, settings, base) => {
  expect(rulePages(settings)).toBe([...(base === undefined ? [] : [base]), "docs/policies"].join("/"));
});

test.each([
  ["/app/node_modules/eks-gpu-lab/dist", "node_modules/eks-gpu-lab/docs/policies"],
  ["C:\\app\\node_modules\\eks-gpu-lab\\dist", "node_modules/eks-gpu-lab/docs/policies"],
  ["/src/eks-gpu-lab/policies/engine", "docs/policies"],
])("without an address, the pages of the package in %s are files", (folder, pages) => {
  expect(rulePages({}, folder)).toBe(pages);
  expect(rulePages({ homepage: "https://example.com/h" }, folder)).toBe("https://example.com/h/docs/policies");
});
