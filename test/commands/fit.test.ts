import { describe, expect, test } from "vitest";
import table from "../../components/workloads/serving/model-table.json";
import { runCli } from "../support/cli";
import { folder } from "../support/files";

const run = (...args: string[]) => runCli(["fit", ...args]);
const qwen = "Qwen/Qwen2.5-7B-Instruct";

describe("the answer", () => {
  test("for one instance it states the reason", async () => {
    const { status, out } = await run("--model", qwen, "--instance", "g5.xlarge", "--context", "8192");
    expect(status).toBe(0);
    expect(out).toMatchSnapshot();
  });

  test("a model that fits on none ends with 1, and says what to change", async () => {
    const { status, out } = await run("--model", "Qwen/Qwen3-14B", "--instance", "g5.xlarge");
    expect(status).toBe(1);
    expect(out).toContain("The weights need 27.5 GiB of each GPU, and the server may use 19.9 GiB.");
    expect(out).toContain("fix: use more or larger GPUs");
  });

  test.for([
    [
      "Qwen/Qwen3-0.6B",
      "0.2",
      "raise --gpu-memory-utilization (at 0.9 it fits), or set the context to 15216 tokens at most",
    ],
    ["Qwen/Qwen3-0.6B", "0.1", "raise --gpu-memory-utilization (at 0.9 it fits)"],
    ["Qwen/Qwen3-0.6B", "0.05", "raise --gpu-memory-utilization (at 0.9 it fits)"],
    ["Qwen/Qwen3-14B", "0.2", "use more or larger GPUs, or a quantized model"],
  ])("%s with a share of %s names the repair that helps", async ([model = "", share = "", fix]) => {
    const args = ["--instance", "g5.xlarge", "--context", "32768", "--gpu-memory-utilization", share, "--json"];
    const { out } = await run("--model", model, ...args);
    expect((JSON.parse(out) as { instances: unknown }).instances).toMatchObject([{ verdict: "does-not-fit", fix }]);
  });

  test.for([
    ["0.11.0", 0.9],
    ["0.12.0", 0.92],
  ] as const)("without a share, vLLM %s uses %s of each GPU", async ([vllm, share]) => {
    const { out } = await run("--model", qwen, "--instance", "g5.xlarge", "--vllm", vllm, "--json");
    expect(JSON.parse(out)).toMatchObject({ gpuMemoryUtilization: share });
  });

  test("without an instance there is one of each family, with as many GPUs as asked for", async () => {
    const rows = async (gpus: string) => {
      const { out } = await run("--model", qwen, "--tensor-parallel", gpus);
      return out.split("\n").map((line) => line.split(" ")[0]);
    };
    expect(await rows("1")).toEqual(expect.arrayContaining(["g4dn.xlarge", "g5.xlarge", "g6e.xlarge", "p5.4xlarge"]));
    expect(await rows("4")).toEqual(expect.arrayContaining(["g4dn.12xlarge", "g5.12xlarge", "p5.48xlarge"]));
    expect(await rows("4")).not.toContain("g5.xlarge");
  });

  test("as JSON", async () => {
    const { out } = await run("--model", qwen, "--instance", "g5.xlarge", "--instance", "g6f.large", "--json");
    expect(JSON.parse(out)).toMatchSnapshot();
  });

  test("from the config.json of a model", async () => {
    const config = JSON.stringify(table.models[qwen]);
    const cwd = folder({ "config.json": config });
    const given = ["fit", "--model", "config.json", "--instance", "g5.xlarge", "--json"];
    const { out } = await runCli(given, { cwd });
    const { out: named } = await run("--model", qwen, "--instance", "g5.xlarge", "--json");
    expect({ ...JSON.parse(out), model: qwen }).toEqual(JSON.parse(named));
  });
});

describe("wrong input", () => {
  test.for([
    [[], "--model: The model is missing."],
    [["--model", "qwen/qwen3-8b"], "did you mean Qwen/Qwen3-8B?"],
    [["--model", "openai/gpt-oss-20b"], "its memory cannot be estimated"],
    [["--model", "missing.json"], "Does not exist."],
    [["--model", "tsconfig.json"], "A config without architecture"],
    [["--model", "README.md"], "It is not the config.json of a model"],
    [["--model", qwen, "--instance", "g5.xlarg"], "did you mean g5.xlarge?"],
    [["--model", qwen, "--instance", "m7i.large"], "Must be a GPU instance type of the catalog."],
    [["--model", qwen, "--context", "0"], "--context"],
    [["--model", qwen, "--tensor-parallel", "1.5"], "--tensor-parallel"],
    [["--model", qwen, "--gpu-memory-utilization", "90"], "Must be a number from 0.01 to 1."],
    [["--model", qwen, "--vllm", "0.6.6"], "Must be a version of vLLM, from 0.8 on."],
  ] as const)("%j", async ([args, text]) => {
    const { status, out, err } = await run(...args);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(text);
  });
});
