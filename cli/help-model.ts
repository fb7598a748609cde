/** One option of a help text. */
export interface HelpOption {
  /** Its long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What the help calls its value, e.g. `FILE`; a flag has none. */
  readonly value?: string;
  /** Whether its value is a list with commas, e.g. `NAME[,NAME]`. */
  readonly list: boolean;
  readonly repeatable: boolean;
  /** What it does, without defaults and remarks. */
  readonly description: string;
}

/** What the help text of a command says. */
export interface HelpModel {
  /** The words that may follow the command, e.g. `up`. */
  readonly words: readonly string[];
  readonly options: readonly HelpOption[];
}

const optionLine =
  /^ {2}(?:-(?<short>\w), | {4})--(?<name>[a-z-]+)(?: (?<value>[A-Z=|]+)(?<more>\[.*?\])?)? +(?<description>.+)$/;

/** Reads a help text, so that words, options and descriptions are stated once: in the text that `--help` prints. */
export function readHelp(help: string): HelpModel {
  const [usage = "", ...lines] = help.split("\n");
  const [, , , ...rest] = usage.replace("[options]", "").split(/[^A-Za-z-]+/);
  return { words: rest.filter((word) => /^[a-z]{2,}$/.test(word)), options: lines.flatMap(optionOf) };
}

function optionOf(line: string, at: number, lines: readonly string[]): HelpOption[] {
  const { name, short, value, more = "", description } = optionLine.exec(line)?.groups ?? {};
  if (name === undefined || description === undefined) return [];
  // The description continues on lines that are indented deeper than any option.
  const following = lines.slice(at + 1);
  const end = following.findIndex((other) => !/^ {12}/.test(other));
  const continued = end === -1 ? following : following.slice(0, end);
  const whole = [description, ...continued.map((more) => more.trim())].join(" ");
  return [
    {
      ...{ name, description: whole.replace(/ *[;(].*/, ""), repeatable: whole.includes("repeatable") },
      list: more.startsWith("[,"),
      ...(short !== undefined && { short }),
      ...(value !== undefined && { value }),
    },
  ];
}
