import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { InputError, refuse, type Problem } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import {
  anything,
  explain,
  flag,
  list,
  mapOf,
  optional,
  parse,
  section,
  text,
  typed,
  type Entries,
  type Parsed,
  type Schema,
} from "../../components/core/schema";
import { nearest } from "../../components/core/suggest";
import type { Properties } from "../../components/core/wire";
import { yamlDocuments } from "../../policies/engine/yaml";
import type { Fields, ResultTypes } from "./result-types";

interface Case {
  readonly args: Properties;
  readonly result: Properties;
}

/** The results of lookups that the user gave. */
export class Answers {
  readonly #used = new Set<string>();

  private constructor(private readonly cases: ReadonlyMap<string, readonly Case[]>) {}

  /**
   * Reads a file with a result, or a list of results for certain arguments, for each function:
   * `aws.ec2.getVpc: { id: vpc-1 }` or `aws.ec2.getVpc: [{ args: { default: true }, result: { id: vpc-1 } }]`.
   *
   * @throws InputError with all problems
   */
  static read(yaml: string, file: string, types: ResultTypes): Answers {
    const content = yamlDocuments(yaml)?.[0];
    if (!isRecord(content)) {
      const why = "Must be YAML or JSON: a mapping of functions to results.";
      const fix = "write, for example, aws.ec2.getVpc: { id: vpc-1 }";
      throw new InputError(file, [{ code: "wrong-type", path: file, got: content, why, fix }]);
    }
    const read = Object.entries(content).map(([name, value]) => ({ name, ...casesIn(name, value, types) }));
    refuse(
      file,
      read.flatMap(({ problems }) => problems),
    );
    return new Answers(new Map(read.map(({ name, value = [] }) => [tokenOf(name), value])));
  }

  /** The result for a call; undefined if the user gave none. */
  resultOf(token: string, args: Properties): Properties | undefined {
    const isFor = (one: Case) => Object.entries(one.args).every(([key, value]) => isDeepStrictEqual(args[key], value));
    const found = this.cases.get(token)?.find(isFor);
    if (found) this.#used.add(token);
    return found?.result;
  }

  /** The functions that the program did not call, or not with these arguments. */
  get unused(): readonly string[] {
    return [...this.cases.keys()].filter((token) => !this.#used.has(token));
  }
}

/** The token of a reference to another stack. */
export const stackReference = "pulumi:pulumi:StackReference";

/** `aws.ec2.getVpc` as a token; a token as it is. */
export function tokenOf(name: string): string {
  if (name === "pulumi.StackReference") return stackReference;
  const [, sdk = "", module = "index", fn = ""] = /^([\w-]+)\.(?:([\w-]+)\.)?(\w+)$/.exec(name) ?? [];
  return fn === "" ? name : `${sdk}:${module}/${fn}:${fn}`;
}

/** The results that the user gave for a function. */
function casesIn(name: string, value: unknown, types: ResultTypes): Parsed<readonly Case[]> {
  const token = tokenOf(name);
  const forms = formsOf(token, types);
  if (!forms) return { problems: [unknownFunction(name, token, types)] };
  const { args, result } = forms;
  if (!Array.isArray(value)) {
    const { value: only, problems } = parse(result, value, name);
    return only ? { value: [{ args: {}, result: only }], problems: [] } : { problems };
  }
  const cases = list(section({ args: optional(args, {}), result }), "[{ result: { id: vpc-1 } }]");
  const given = value.map((one: unknown) => (isRecord(one) ? one : { result: one }));
  return parse(cases, given, name);
}

/** The forms of a function's arguments and result; undefined if no SDK has it. A stack has outputs of any name. */
function formsOf(token: string, types: ResultTypes) {
  if (token === stackReference)
    return { args: section({ name: optional(text()) }), result: mapOf(anything(), "{ vpcId: vpc-1 }") };
  const fields = types.of(token);
  const args = fields && section(schemasOf(types.argumentsOf(token) ?? fields, anything));
  return fields && args && { args, result: section(schemasOf(fields, schemaOf)) };
}

function schemasOf(fields: Fields, schema: (type: string) => Schema): Entries {
  return Object.fromEntries([...fields].map(([key, type]) => [key, optional(schema(type))]));
}

/** The form of a property with a type of TypeScript. Other types, such as those of enumerations, are not checked. */
function schemaOf(type: string): Schema {
  if (type.endsWith("[]")) return typed(list(anything(), "[a, b]"));
  if (type === "string") return text();
  if (type === "number") return v.number(explain("Must be a number.", "set {path} to a number"));
  if (type === "boolean") return flag();
  return /^(\{|outputs\.)/.test(type) ? typed(mapOf(anything(), "{ key: value }")) : anything();
}

function unknownFunction(name: string, token: string, types: ResultTypes): Problem {
  const meant = nearest(token, types.siblings(token));
  const isInstalled = types.hasSdk(token);
  const why = isInstalled ? "The SDK has no such function." : "Must be a function of an installed SDK of Pulumi.";
  const fix =
    meant === undefined ? "use the name in the program, such as aws.ec2.getVpc" : `did you mean ${dotted(meant)}?`;
  return { code: "unknown-key", path: name, got: "an answer", why, fix };
}

/** A token as the program writes it. */
function dotted(token: string): string {
  return token.replace(/:(?:index|([\w-]+))\/\w+:/, (_, module?: string) =>
    module === undefined ? "." : `.${module}.`,
  );
}
