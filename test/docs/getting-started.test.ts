import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderStep } from "../../simulation/rehearsal/report";
import { rehearsalScript } from "../../simulation/rehearsal/step";
import { gpuLab } from "../../stacks/gpu-lab";

const page = readFileSync("docs/getting-started.md", "utf8");

test("the page quotes a step of a rehearsal as the program prints it", () => {
  // An engine test compares the changes of the toggle with a rehearsal.
  const toggle = gpuLab.toggles?.find(({ config }) => config.includes("gpuOperator.enabled=true"));
  const step = rehearsalScript(toggle ? [toggle] : [])[2];
  const changes = (toggle?.changes ?? []).map((line) => {
    const [op = "", type = "", name = ""] = line.split(" ");
    const packages = type === "Release" ? "kubernetes:helm.sh/v3" : "kubernetes:core/v1";
    return { op, type: `${packages}:${type}`, name, paths: [] };
  });
  const { title = "", command = "" } = step ?? {};
  const result = { succeeded: true, remarks: [], outputs: {}, seconds: 2, secondsOnAws: 5 };
  const text = renderStep({ title, command, changes, ...result }, 3, { colors: false, columns: 80 });
  expect(page).toContain(`\`\`\`text\n${text}\`\`\`\n`);
});
