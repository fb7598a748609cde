import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { describeEngine, errorsOf, failing, succeeding } from "../engine/support/engine";
import { commandsOf, fileOf, languageExamples, textOf } from "./examples";
import { addPackage, describeLanguage, hasLanguage, openCli, openProgram, type Program } from "./program";

const page = readFileSync("docs/languages.md", "utf8");
const [, quotedProblems] = /^```text\n(2 problems with GpuEnvironment "lab":\n[^]*?)\n```$/m.exec(page) ?? [];
const kubectl = "aws eks update-kubeconfig --region ap-northeast-2 --name myeks";

/**
 * The preview of the README: its resources are the golden file. The only warnings are those of the component, about versions
 * that are not pinned.
 */
async function expectPreview(example: string, program: Program) {
  const out = await program.shell("pulumi preview");
  const created = [...out.matchAll(/^ \+ +(\S+ \S+) create\b/gm)].map(([, resource]) => resource);
  const resources = [...new Set(created)].sort().join("\n");
  await expect(`${resources}\n`).toMatchFileSnapshot(resolve(fileOf(example, "preview.txt")));
  const [, diagnostics = ""] = /^Diagnostics:\n([^]*?)^Outputs:$/m.exec(out) ?? [];
  expect(diagnostics).toContain("no version is pinned for ");
  const warnings = diagnostics.split("\n").filter((line) => /warning|deprecated|error/i.test(line));
  expect(warnings.filter((line) => !line.includes("no version is pinned for "))).toEqual([]);
}

async function expectLab(program: Program) {
  const up = await succeeding(program.run("up"));
  expect(up.outputs["configureKubectl"]).toBe(kubectl);
  expect(program.cloud.find("aws:eks/nodeGroup:NodeGroup")).toHaveLength(2);
}

describe.for(languageExamples)("the README of %s", (example) => {
  test("builds the provider of the clone, previews, and says how another repository adds the package", () => {
    const [first, ...others] = commandsOf(example);
    expect(first?.line).toBe("npm ci --prefix ../..");
    expect(others.at(-1)).toMatchObject({ line: "pulumi preview", golden: "preview.txt" });
    expect(textOf(example, "Pulumi.yaml")).toContain("\n  eks-gpu-lab: ../../provider\n");
    for (const text of [textOf(example, "README.md"), page]) expect(text).toContain(addPackage);
  });
});

describeLanguage("yaml")("a YAML program with the installed package", () => {
  test("creates the environment with the commands of its README", async () => {
    const program = await openProgram("yaml");
    expect(readFileSync(join(program.dir, "Pulumi.yaml"), "utf8")).toContain(
      "eks-gpu-lab: ./node_modules/eks-gpu-lab/provider",
    );
    await expectPreview("yaml", program);
    await expectLab(program);
    await succeeding(program.run("preview", { expectNoChanges: true }));
    await succeeding(program.run("destroy"));
  });

  test("prints every problem of the arguments before it creates anything", async () => {
    const program = await openProgram("yaml", {
      edits: { "Main.yaml": (text) => text.replace("maxSize: 2", "maxSize: -2").replace("g5.xlarge", "g5.xlrge") },
    });
    expect(errorsOf(await failing(program.run("up"))).trim()).toBe(
      `eks-gpu-lab:index:GpuEnvironment resource 'lab' has a problem: ${quotedProblems}`,
    );
    expect(program.cloud.objects).toEqual([]);
  });

  test("wires components with outputs, also with an output that is a list", async () => {
    const program = await openProgram("yaml", {
      edits: { "Main.yaml": () => readFileSync("test/examples/wired.yaml", "utf8") },
    });
    await succeeding(program.run("preview"));
    await succeeding(program.run("up"));
    const subnets = program.cloud.find("aws:ec2/subnet:Subnet").map(({ id }) => id);
    const [cluster] = program.cloud.find("aws:eks/cluster:Cluster");
    const { subnetIds } = cluster?.inputs["vpcConfig"] as { readonly subnetIds: readonly string[] };
    expect(subnetIds.length).toBeGreaterThanOrEqual(2);
    expect(subnets).toEqual(expect.arrayContaining([...subnetIds]));
    expect(program.cloud.find("aws:eks/nodeGroup:NodeGroup")).toHaveLength(2);
  });
});

/** What pip prints when it cannot reach its index, and gives up. */
const noIndex =
  /(?:NewConnection|ConnectTimeout|ReadTimeout|NameResolution|Proxy)Error[^]*No matching distribution found/;

describeLanguage("python")("a Python program with the installed package", () => {
  test("creates the environment with the SDK that pulumi generates", async ({ skip }) => {
    const pip = Object.entries(process.env).filter(([key]) => key === "HOME" || key.startsWith("PIP_"));
    const program = await openProgram("python", { env: Object.fromEntries(pip) }).catch((error: unknown) => {
      const { stdout } = error as { readonly stdout?: string };
      if (!noIndex.test(stdout ?? "") || process.env["REQUIRE_PULUMI"]) throw error;
      return skip("the test of a Python program needs a Python package index");
    });
    expect(readdirSync(join(program.dir, "sdks"))).toEqual(["eks-gpu-lab"]);
    await expectPreview("python", program);
    await expectLab(program);
  });
});

describeEngine("the package schema", () => {
  const provider = join(inject("consumer").project, "node_modules/eks-gpu-lab/provider");

  test("is one that the CLI reads from the provider, and accepts", async () => {
    const { room } = inject("consumer");
    const { shell } = await openCli();
    await shell(`pulumi package get-schema ${provider} 2>/dev/null >schema.json`, room);
    expect(await shell("pulumi schema check schema.json", room)).toBe("");
  });

  test.for(["go", "nodejs", "python"])("becomes an SDK of %s", async (language, { skip }) => {
    if (!hasLanguage(language)) skip(`pulumi-language-${language} is not on the PATH`);
    const { room } = inject("consumer");
    const { shell } = await openCli();
    await shell(`pulumi package gen-sdk ${provider} --language ${language} --out sdk-${language}`, room);
    expect(readdirSync(join(room, `sdk-${language}`))).toEqual([language]);
  });
});
