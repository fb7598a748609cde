import { describe, expect, test } from "vitest";
import { failureText } from "../../../tools/patterns";
import { patternReport, rowsOf, textsOf } from "../../../tools/patterns/texts";

/** Lines of vllm/worker/worker.py (0.6.6), vllm/v1/core/kv_cache_utils.py (0.11.0) and kv_cache_planning.py (0.33.0). */
const sources = {
  "0.6.6": `
        raise ValueError(
            "The model's max seq len "
            f"({max_model_len}) "
            "is larger than the maximum number of tokens that can be "
            f"stored in KV cache ({max_seq_len}). Try increasing "
            "\`gpu_memory_utilization\` or decreasing \`max_model_len\` when "
            "initializing the engine.")
`,
  "0.11.0": `
        raise ValueError(
            f"To serve at least one request with the models's max seq len "
            f"({max_model_len}), ({needed_memory/GiB_bytes:.2f} GiB KV "
            f"cache is needed, which is larger than the available KV cache "  # a comment
            f"memory ({available_memory/GiB_bytes:.2f} GiB). "
            f"{estimated_msg} ")
        raise ValueError("No available memory for the cache blocks. "
                         "Try increasing \`gpu_memory_utilization\` when "
                         "initializing the engine.")
`,
  "0.33.0": `
def check() -> None:
    """Is larger than nothing."""
    raise ValueError("The cache is full. " "Use a smaller context.")
`,
};

const releases = Object.entries(sources).map(([version, source]) => ({
  program: "vLLM",
  version,
  texts: textsOf(source),
}));

describe("the texts of Python source", () => {
  test("literals that stand side by side are one text, with 1 for each value", () => {
    expect(releases.map(({ texts }) => texts)).toEqual([
      [
        "The model's max seq len (1) is larger than the maximum number of tokens that can be stored in KV cache (1). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
      ],
      [
        "To serve at least one request with the models's max seq len (1), (1 GiB KV cache is needed, which is larger than the available KV cache memory (1 GiB). 1 ",
        "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.",
      ],
      ["Is larger than nothing.", "The cache is full. Use a smaller context."],
    ]);
  });

  test.for([
    [`raise E("it's %s of %d", x)`, ["it's 1 of 1"]],
    [`a = 'say \\'no\\' twice'; b = "two words"`, ["say 'no' twice", "two words"]],
    [`f"{{literal}} {x!r:>{width}} end"`, ["{literal} 1 end"]],
    [`# "not a text" of a comment\nx = r"raw text"`, ["raw text"]],
    [`f("first text", "second text")`, ["first text", "second text"]],
    [`name = "short"`, []],
    [`x = "# no comment"`, ["# no comment"]],
  ] as const)("%s", ([source, texts]) => {
    expect(textsOf(source)).toEqual(texts);
  });
});

describe("the report", () => {
  const rows = rowsOf(releases);
  const versionsOf = (id: string) => rows.find((row) => row.id === id)?.found.map(({ version }) => version);

  test("says which versions have a text, also if the program changed its words", () => {
    expect(versionsOf("kv-cache-too-small")).toEqual(["0.6.6", "0.11.0"]);
    expect(versionsOf("kv-cache-no-memory")).toEqual(["0.11.0"]);
    expect(patternReport(releases).text).toContain(
      "kv-cache-too-small\n  found in: vLLM 0.6.6, vLLM 0.11.0\n  not in: vLLM 0.33.0\n",
    );
  });

  test("looks for the part that the source has, if a program puts a text together", () => {
    const texts = ["User-specified max_model_len (1) is greater than the derived max_model_len (1=1)."];
    const found = rowsOf([{ program: "vLLM", version: "0.33.0", texts }]).filter((row) => row.found.length > 0);
    expect(found.map(({ id }) => id)).toEqual(["context-above-model"]);
  });

  test("names only conclusions of the programs", () => {
    expect(versionsOf("nccl-watchdog-timeout")).toBeUndefined();
    const torch = { program: "PyTorch", version: "2.15.0", texts: ["Watchdog caught collective operation timeout: "] };
    expect(rowsOf([torch]).find(({ id }) => id === "nccl-watchdog-timeout")?.found).toEqual([torch]);
  });

  test("names the patterns that match no version any more", () => {
    const { text, isComplete } = patternReport(releases);
    expect(isComplete).toBe(false);
    expect(text).toMatch(
      /\nNo version has a text for: .*warmup-out-of-memory.*Read the new text and change the pattern/,
    );
    expect(text).not.toMatch(/No version has a text for: .*kv-cache-no-memory/);
    expect(patternReport([])).toEqual({
      text: "Every pattern matches a text of at least one version.\n",
      isComplete: true,
    });
  });
});

test.for([
  [{ code: "ENOENT" }, "python3 is not installed"],
  [{ stderr: "/usr/bin/python3: No module named pip\n" }, "Python has no pip"],
  [{ stderr: "NewConnectionError('<pip._vendor>: Failed to establish a new connection')" }, "cannot be reached"],
  [{ stderr: "WARNING: x\nERROR: No matching distribution found for vllm==9\n" }, "No matching distribution found"],
] as const)("a download that fails says what to do: %o", ([error, text]) => {
  expect(failureText(error, "vllm 9")).toMatch(new RegExp(`^vllm 9: .*${text}`));
});
