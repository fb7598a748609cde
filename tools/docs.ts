// Writes what is generated from the code: parts of Pulumi.yaml and the README, the pages of the policy rules, of the
// alerts and of the failures, and the pictures of the environment and of the labs.
//
//   node tools/run.mjs docs
//
// A test fails while the files differ from the code.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import prettier from "prettier";
import { environmentCost } from "../components/cost/environment-cost";
import { costSizes } from "../components/environment/gpu-environment-plan";
import { gpuOperatorDefaults, gpuTaint, operatorValues } from "../components";
import { gpuOperatorChart } from "../components/core/versions";
import { chartKeys } from "../components/gpu/operator/custom-values";
import chart from "../components/vendor/gpu-operator-values.json";
import { alertFiles } from "./alert-docs";
import { commandPage } from "./command-docs";
import { commonLinks, configurationEntries, pulumiConfig } from "./config-docs";
import { stackFileSchema } from "./config-schema";
import { failurePages } from "./failure-docs";
import { pictureOf } from "../planner/draw/picture";
import { svgOf } from "../planner/draw/svg";
import { openProject, recordStack } from "../planner/plan-stack";
import { findProject } from "../planner/program/project";
import { table } from "../planner/report/markdown-syntax";
import { copyProject } from "../simulation/pulumi/project-copy";
import { labs } from "../stacks/labs";
import { onDemandLabs, type OnDemandLab } from "../stacks/on-demand";
import type { Lab } from "../stacks/run/lab";
import { describeSession } from "../stacks/run/session";
import { drawLabPictures } from "./draw-lab-pictures";
import { pictures } from "./lab-pictures";
import { packageSchema } from "./package-schema/package-schema";
import { policyConfigs, policyPages } from "./policy-docs";
import sections from "./operator-sections.json";
import rooms from "./rooms.json";

/** Files by path from the project's root. */
type Files = Record<string, string>;

const root = join(__dirname, "..");

/** The generated parts of files: the file, the part, and its text. */
const parts: readonly (readonly [string, RegExp, () => string])[] = [
  ["Pulumi.yaml", /^stacks:\n[^]*$/m, pulumiConfig],
  ["docs/architecture.md", between("rooms"), roomTable],
  ["docs/labs/README.md", between("labs"), labTable],
  ["docs/ko/labs/README.md", between("labs"), koreanLabTable],
  ["docs/sessions.md", between("provisioners"), provisionerTable],
  ["docs/labs/gpu-lab.md", between("operator values"), operatorValuesTable],
  ["docs/ko/labs/gpu-lab.md", between("operator values"), koreanOperatorValuesTable],
  ["docs/configuration.md", between("common keys"), commonLinks],
  ["docs/configuration.md", between("configuration keys"), configurationEntries],
];

/** What is between two comments of a page. */
function between(name: string): RegExp {
  return new RegExp(`(?<=<!-- ${name} -->\\n)[^]*?(?=<!-- end ${name} -->)`);
}

/** The rooms of the project, and what each holds. */
function roomTable(): string {
  return table(
    ["folder", "holds"],
    rooms.map(({ folder, holds }) => [`\`${folder}\``, holds]),
  );
}

/** Each lab with its question, and the length, GPU nodes and cost of a session. */
function labTable(
  columns = ["lab", "question", "session", "GPU nodes", "about"],
  minute = " min",
  questionOf = (lab: string, question: string) => question,
): string {
  const prices = environmentCost(costSizes({ publicAccessCidrs: ["203.0.113.7/32"] }, "ap-northeast-2"));
  const rows = Object.entries<Lab>(labs).map(([name, { question, minutes, gpuNodes }]) => {
    const [cost = ""] = describeSession({ minutes, gpuNodes }, prices).split(":");
    return [`[${name}](${name}.md)`, questionOf(name, question), `${minutes}${minute}`, String(gpuNodes), cost];
  });
  return table(columns, rows, { right: [2, 3, 4] });
}

/** With which provisioners each lab runs, or why it does not. */
function provisionerTable(): string {
  const rows = Object.entries<OnDemandLab>(onDemandLabs).map(([name, { refused, refusedByAutoMode = refused }]) => {
    return [`\`${name}\``, refused ?? "runs", refusedByAutoMode ?? "runs"];
  });
  return table(["lab", "`karpenter`", "`autoMode`"], rows);
}

/** The table of labs in Korean. A question stands on the lab's Korean page. */
function koreanLabTable(): string {
  return labTable(["실습", "질문", "세션", "GPU 노드", "대략적인 비용"], "분", (lab) => {
    const file = `docs/ko/labs/${lab}.md`;
    const [, question] = /^\*\*질문\.\*\* ([^]+?)\n\n/m.exec(readFileSync(join(root, file), "utf8")) ?? [];
    if (question === undefined) throw new Error(`${file} has no question: a paragraph that starts with "**질문.** ".`);
    return question.replaceAll("\n", " ");
  });
}

/** Each section of the pinned chart of the GPU Operator: what it configures, and the values that this project sets. */
function operatorValuesTable(
  columns = ["section", "what it configures", "set here"],
  meanings: Readonly<Record<string, string>> = sections,
): string {
  const values = operatorValues({
    ...gpuOperatorDefaults,
    taints: [gpuTaint],
    controllerNodeSelector: { tier: "system" },
  });
  const names = Object.keys(chartKeys(gpuOperatorChart.version)).filter((name) => name in chart.keys);
  const rows = names.map((name) => {
    const meaning = meanings[name];
    if (meaning === undefined)
      throw new Error(`tools/operator-sections.json or the Korean page of gpu-lab does not explain ${name}`);
    return [`\`${name}\``, meaning, name in values ? `\`${JSON.stringify(values[name])}\`` : ""];
  });
  return table(columns, rows);
}

/** The same table in Korean. The meanings stand on the Korean page. */
function koreanOperatorValuesTable(): string {
  const page = readFileSync(join(root, "docs/ko/labs/gpu-lab.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (.+?) +\|/gm)];
  const meanings = Object.fromEntries(rows.map(([, name = "", meaning = ""]) => [name, meaning]));
  return operatorValuesTable(["섹션", "구성하는 내용", "여기서 설정하는 값"], meanings);
}

/** The files of which a part is generated. */
export async function renderParts(): Promise<Files> {
  const files: Files = {};
  for (const [file, pattern, text] of parts) {
    const before = files[file] ?? readFileSync(join(root, file), "utf8");
    if (!pattern.test(before)) throw new Error(`${file} has no place for the generated text ${pattern.source}`);
    files[file] = before.replace(pattern, () => (file.endsWith(".md") ? `\n${text()}\n\n` : text()));
  }
  return formatted(files);
}

/** The files that are generated as a whole. The package schema is for programs in other languages. */
const whole = {
  policies: async () => ({ ...(await policyPages()), ...policyConfigs() }),
  alerts: alertFiles,
  commands: commandPage,
  failures: failurePages,
  stackFileSchema: () => ({ "stacks/stack-file.schema.json": JSON.stringify(stackFileSchema()) }),
  packageSchema: () => ({ "provider/schema.json": JSON.stringify(packageSchema()) }),
};

/** The files of one kind. */
export async function renderWhole(kind: keyof typeof whole): Promise<Files> {
  return formatted(await whole[kind]());
}

/** The pictures of the labs. */
export function renderLabs(): Promise<Files> {
  const missing = Object.keys(labs).filter((lab) => !Object.hasOwn(pictures, lab));
  if (missing.length > 0) throw new Error(`tools/lab-pictures.ts has no picture of ${missing.join(", ")}`);
  return drawLabPictures(pictures);
}

/** The picture of the environment. @param project a folder that opens this project without the user's stack files */
export async function renderEnvironment(project: string): Promise<Files> {
  const { recording, region } = await recordStack(await openProject(project), "gpu-lab", []);
  return { "docs/gpu-lab.svg": await svgOf(pictureOf(recording, region)) };
}

async function withoutUserStacks<Result>(use: (project: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "eks-gpu-lab-docs-"));
  try {
    return await use(copyProject(findProject(root), folder).dir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function formatted(texts: Files): Promise<Files> {
  const files = Object.entries(texts).map(async ([file, text]) => {
    const filepath = join(root, file);
    return [file, await prettier.format(text, { ...(await prettier.resolveConfig(filepath)), filepath })] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

/** Renders everything before it writes anything: an error leaves the files as they are. */
export async function main(): Promise<void> {
  const kinds = Object.keys(whole) as (keyof typeof whole)[];
  const own = [renderParts(), renderLabs(), ...kinds.map(renderWhole)];
  const rendered = await Promise.all([...own, withoutUserStacks(renderEnvironment)]);
  const folder = join(root, "docs/policies");
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  for (const [file, text] of rendered.flatMap((files) => Object.entries(files))) writeFileSync(join(root, file), text);
}
