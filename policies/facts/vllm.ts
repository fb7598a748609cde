import { ownValue } from "../../components/core/reader/records";
import { all, any, equals, not, Reading, type Reader, type Truth } from "../engine/values";
import { longest, someOf, textsIn } from "./lists";

/** `nodes`: ranks in other pods. */
const settings = {
  model: "--model",
  context: "--max-model-len",
  tensorParallel: "--tensor-parallel-size -tp",
  pipelineParallel: "--pipeline-parallel-size -pp",
  utilization: "--gpu-memory-utilization",
  sequences: "--max-num-seqs",
  batchedTokens: "--max-num-batched-tokens",
  dtype: "--dtype",
  nodes: "--distributed-executor-backend --nnodes --node-rank --master-addr",
} as const;
type Setting = keyof typeof settings;

/**
 * All flags whose effect is known, by what they set, or by the number of their values. A command line with another flag is
 * not read: `--config` and `--hf-overrides` may change everything, and `--quantization` or `--enable-lora` the memory.
 * @see https://docs.vllm.ai/en/v0.11.0/cli/serve.html
 */
const flags = {
  ...settings,
  one: `--allowed-headers --allowed-methods --allowed-origins --chat-template --chat-template-content-format
    --download-dir --generation-config --host --max-log-len --max-logprobs --override-generation-config --port
    --reasoning-parser --response-role --root-path --scheduling-policy --seed --ssl-certfile --ssl-keyfile
    --swap-space --tokenizer --tokenizer-mode --tool-call-parser --tool-parser-plugin --uvicorn-log-level`,
  many: "--api-key --served-model-name",
  none: `--async-scheduling --disable-custom-all-reduce --disable-fastapi-docs --disable-frontend-multiprocessing
    --disable-log-requests --disable-log-stats --disable-uvicorn-access-log --enable-auto-tool-choice
    --enable-chunked-prefill --enable-log-outputs --enable-log-requests --enable-prefix-caching
    --enable-prompt-tokens-details --enable-reasoning --enable-request-id-headers --enforce-eager
    --trust-remote-code`,
};
type Effect = keyof typeof flags;

const effects: Readonly<Record<string, Effect>> = Object.fromEntries(
  Object.entries(flags).flatMap(([effect, names]) => names.split(/\s+/).map((name) => [name, effect as Effect])),
);

/** What the flags set. An unknown word at `open` may set anything. */
type Given = ReadonlyMap<Setting | "open", Reading<string>>;

/** How a container starts vLLM. */
export class VllmServer {
  /** Minor version, 11 of 0.11.0, of the image; without it, the one that needs least memory. */
  readonly minor: number;

  constructor(
    private readonly container: Reader,
    /** Whether the container runs the server. */
    readonly runs: Truth,
    private readonly given: Given,
  ) {
    const [, minor = "20"] = /vllm-openai:v?0\.(\d{1,2})\./.exec(container.text("image").value ?? "") ?? [];
    this.minor = Number(minor);
  }

  text(setting: Setting): Reading<string> {
    const open = this.given.get("open");
    return this.given.get(setting) ?? (open ? Reading.unknown(open.path) : Reading.absent(this.container.path));
  }

  number(setting: Setting): Reading<number> {
    return this.text(setting).map(numberOf, String);
  }

  /** GPUs that the server uses in all its pods. */
  get ranks(): Reading<number> {
    const [tensor, stages] = [this.number("tensorParallel").or(1), this.number("pipelineParallel").or(1)];
    const ranks = tensor.map((number) => number * (stages.value ?? 1), String);
    return stages.isUnknown ? stages : ranks;
  }

  /** Whether a variable of the container may be set to anything but "0". */
  mayHave(variable: string): Truth {
    const isSet = (one: Reader) => all(equals(one.text("name"), variable), not(equals(one.text("value"), "0")));
    return any(not(this.container.list("envFrom").isAbsent), someOf(this.container.list("env"), isSet));
  }
}

/** The programs that start the server, word by word. */
const programs = [
  [/^(.*\/)?vllm$/, /^serve$/],
  [/^(.*\/)?python[\d.]*$/, /^-m$/, /^vllm\.entrypoints\.openai\.api_server$/],
];
const shell = [/^(.*\/)?(ba|da)?sh$/, /^-[a-z]*c$/];

/** The server that a container starts; undefined if it starts something else, or in a way that is not known. */
export function vllmServer(container: Reader): VllmServer | undefined {
  const [command, args] = [wordsOf(container, "command"), wordsOf(container, "args")];
  const line = [...command, ...args];
  const words = startsWith(line, shell) === true ? scriptWords(line[2]) : line;
  const program = programs.find((one) => startsWith(words, one) !== false);
  if (!program && command.length > 0) return undefined;
  const isOfProject = container.text("image").is((name) => /(^|\/)vllm-openai([:@]|$)/.test(name));
  const runs = program ? startsWith(words, program) : isOfProject;
  return runs === false ? undefined : new VllmServer(container, runs, settingsIn(words.slice(program?.length)));
}

function startsWith(words: readonly Reading<string>[], program: readonly RegExp[]): Truth {
  return all(...program.map((pattern, index) => words[index]?.is((word) => pattern.test(word)) ?? false));
}

/** The words of a list. Numbers count, although Kubernetes wants them in quotes. */
function wordsOf(container: Reader, key: string): readonly Reading<string>[] {
  const list = container.list(key);
  if (!list.value) return textsIn(container, key);
  return list.value.slice(0, longest).map((item) => {
    const number = item.number();
    return number.value === undefined ? item.text() : number.map(String, String);
  });
}

/** The words of a script that is one command without variables, and without other features of a shell. */
function scriptWords(script?: Reading<string>): readonly Reading<string>[] {
  if (script?.value === undefined) return [];
  const text = script.value.slice(0, 10_000).replace(/\\\n/g, " ").trim();
  if (/[;&|<>$`(){}*?~#!\n\\]/.test(text.replace(/'[^']*'/g, ""))) return [];
  const words = (text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replace(/["']/g, ""));
  return words.slice(words[0] === "exec" ? 1 : 0).map((word) => Reading.known(script.path, word, "a text"));
}

/** What the arguments of the server set; nothing if the effect of one is not known. */
function settingsIn(words: readonly Reading<string>[]): Given {
  const given = new Map<Setting | "open", Reading<string>>();
  const rest = [...words];
  for (let word = rest.shift(); word; word = rest.shift()) {
    if (word.isUnknown) return given.set("open", word);
    const [name, inline] = partsOf(word);
    const isModel = !name.startsWith("-") && !given.has("model");
    const effect = isModel ? "model" : ownValue(effects, withDashes(name));
    const value = isModel ? word : valueOf(effect, word, inline, rest);
    if (!effect || !value) return new Map();
    if (!isSetting(effect)) continue;
    if (value.is((text) => isReadable(effect, text)) === false) return new Map();
    given.set(effect, value);
  }
  return given;
}

function partsOf({ value = "" }: Reading<string>): [name: string, inline?: string] {
  const at = value.indexOf("=");
  return at < 0 ? [value] : [value.slice(0, at), value.slice(at + 1)];
}

function isSetting(effect: Effect): effect is Setting {
  return effect in settings;
}

/** vLLM takes underscores, and each switch has an opposite. */
function withDashes(name: string): string {
  return name.startsWith("--") ? name.replaceAll("_", "-").replace(/^--no-/, "--") : name;
}

/** The value of a flag, which is removed from the words after it; undefined if it has none. */
function valueOf(
  effect: Effect | undefined,
  word: Reading<string>,
  inline: string | undefined,
  rest: Reading<string>[],
) {
  const isNext = (pattern: RegExp) => rest[0]?.is((next) => pattern.test(next)) === true;
  if (effect === "none") return isNext(/^(true|false)$/i) ? rest.shift() : word;
  if (inline !== undefined) return Reading.known(word.path, inline, "a text");
  const first = rest.shift();
  while (effect === "many" && rest.length > 0 && !isNext(/^-/)) rest.shift();
  return first;
}

/** Whether a rule can read a value. Weights in 32 bits need more memory than the table states. */
function isReadable(setting: Setting, text: string): boolean {
  if (setting === "dtype") return ["auto", "half", "float16", "bfloat16"].includes(text);
  return setting === "model" || setting === "nodes" || numberOf(text) !== undefined;
}

/** A number as vLLM reads it: `32k` is 32,000, and `32K` is 32,768. */
function numberOf(text: string): number | undefined {
  const [, digits, suffix = ""] = /^(\d{1,12}(?:\.\d{1,6})?)([kmgKMG]?)$/.exec(text.trim()) ?? [];
  const base = suffix === suffix.toLowerCase() ? 1000 : 1024;
  return digits === undefined ? undefined : Number(digits) * base ** " kmg".indexOf(suffix.toLowerCase() || " ");
}
