import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { CORE_SCHEMA, defineScalarTag, loadAll, mergeTag, NOT_RESOLVED, YAMLException } from "js-yaml";
import { InputError, type Problem } from "../../components/core/problems";

const timestamp = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(?:[Zz]|([+-]\d{2}):(\d{2}))?)?$/;

/** A day or a time without quotes, in the form in which Pulumi passes it to the program. */
const timestampTag = defineScalarTag("tag:yaml.org,2002:timestamp", {
  implicit: true,
  implicitFirstChars: [..."0123456789"],
  resolve: (text) => {
    const [, date, time = "00:00:00", hours, minutes] = timestamp.exec(text) ?? [];
    if (date === undefined) return NOT_RESOLVED;
    const offset = `${hours}${minutes}`;
    return `${date} ${time} ${hours === undefined ? "+0000 UTC" : `${offset} ${offset}`}`;
  },
  identify: () => false,
});

/** As in Pulumi's parser, `<<` merges mappings; other keys of the mapping take precedence. */
const schema = CORE_SCHEMA.withTags(mergeTag, timestampTag);

/**
 * The first document of a YAML file.
 *
 * @throws InputError when the file is not YAML, or has a tag such as `!foo`
 */
export function readYaml(file: string): unknown {
  const text = readFileSync(file, "utf8");
  try {
    return loadAll(text, { schema })[0];
  } catch (error) {
    throw new InputError(basename(file), [problemOf(error as Error, file, text)]);
  }
}

function problemOf(error: Error, file: string, text: string): Problem {
  const mark = error instanceof YAMLException ? error.mark : undefined;
  const isTag = /^unknown \w+ tag /.test(error.message);
  if (isTag && mark) return tagProblem(text.split(/\r?\n/)[mark.line] ?? "", mark);
  const why = `Is not valid YAML: ${error.message.split("\n")[0]}.`;
  return { code: "not-allowed", path: file, got: undefined, why, fix: "correct the syntax of the file" };
}

/** A value that begins with `!` has a tag for YAML. Quotes make it a string. */
function tagProblem(line: string, { line: number, column }: { line: number; column: number }): Problem {
  const before = line.slice(0, column);
  const key = /([^\s"'{[,]+)["']?\s*:\s*$/.exec(before)?.[1];
  const end = /[{[]/.test(before) ? /\s*[,}\]].*$/ : /\s+#.*$|\s+$/;
  const value = line.slice(column).replace(end, "");
  const quoted = JSON.stringify(value);
  return {
    code: "not-allowed",
    path: key ?? `line ${number + 1}`,
    got: value.split(/\s/)[0] ?? "",
    why: `A YAML tag in line ${number + 1} that Pulumi does not know. Every unquoted value that begins with ! has a tag.`,
    fix: `quote the value if it is text: ${key === undefined ? quoted : `${key}: ${quoted}`}; otherwise remove the tag`,
  };
}
