import { isDeepStrictEqual } from "node:util";
import { InputError, type Problem } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
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
  static read(text: string, file: string, types: ResultTypes): Answers {
    const content = yamlDocuments(text)?.[0];
    if (!isRecord(content)) {
      const why = "Must be YAML or JSON: a mapping of functions to results.";
      throw new InputError(file, [
        { code: "wrong-type", path: file, got: content, why, fix: `write, for example, ${example}` },
      ]);
    }
    const cases = new Map(Object.entries(content).map(([name, value]) => [tokenOf(name), casesOf(value)]));
    const problems = Object.entries(content).flatMap(([name, value]) => problemsOf(name, value, types));
    if (problems.length > 0) throw new InputError(file, problems);
    return new Answers(cases);
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

const example = "aws.ec2.getVpc: { id: vpc-1 }";

/** `aws.ec2.getVpc` as a token; a token as it is. */
export function tokenOf(name: string): string {
  const [, sdk = "", module = "index", fn = ""] = /^([\w-]+)\.(?:([\w-]+)\.)?(\w+)$/.exec(name) ?? [];
  return fn === "" ? name : `${sdk}:${module}/${fn}:${fn}`;
}

function casesOf(value: unknown): readonly Case[] {
  const list: unknown[] = Array.isArray(value) ? value : [{ result: value }];
  return list.filter(isRecord).map(({ args, result }) => ({
    args: isRecord(args) ? args : {},
    result: isRecord(result) ? result : {},
  }));
}

function problemsOf(name: string, value: unknown, types: ResultTypes): Problem[] {
  const token = tokenOf(name);
  const fields = types.of(token);
  if (!fields) return [unknownFunction(name, token, types)];
  const list: unknown[] = Array.isArray(value) ? value : [{ result: value }];
  return list.flatMap((one, index): Problem[] => {
    const path = Array.isArray(value) ? `${name}[${index}]` : name;
    const at = Array.isArray(value) ? `${path}.result` : name;
    if (!isRecord(one) || !isRecord(one["result"])) {
      return [
        {
          code: "wrong-type",
          path: at,
          got: isRecord(one) ? one["result"] : one,
          why: "Must be a mapping.",
          fix: `write, for example, ${example}`,
        },
      ];
    }
    const keys = Array.isArray(value)
      ? Object.keys(one).flatMap((key) => unknownKey(path, key, ["args", "result"]))
      : [];
    const args = isRecord(one["args"]) ? Object.keys(one["args"]) : [];
    const ofArgs = args.flatMap((key) =>
      unknownKey(`${path}.args`, key, [...(types.argumentsOf(token) ?? fields).keys()]),
    );
    return [...keys, ...ofArgs, ...resultProblems(at, one["result"], fields)];
  });
}

function unknownFunction(name: string, token: string, types: ResultTypes): Problem {
  const meant = nearest(token, types.siblings(token));
  const isInstalled = types.hasSdk(token);
  const why = isInstalled ? "The SDK has no such function." : "Must be a function of an installed SDK of Pulumi.";
  const fix =
    meant === undefined ? "use the name of the program, such as aws.ec2.getVpc" : `did you mean ${dotted(meant)}?`;
  return { code: "unknown-key", path: name, got: "an answer", why, fix };
}

/** A token as the program writes it. */
function dotted(token: string): string {
  return token.replace(/:(?:index|([\w-]+))\/\w+:/, (_, module?: string) =>
    module === undefined ? "." : `.${module}.`,
  );
}

function unknownKey(path: string, key: string, known: readonly string[]): Problem[] {
  if (known.includes(key)) return [];
  const meant = nearest(key, known);
  const fix = meant === undefined ? `use one of ${known.join(", ")}` : `did you mean ${meant}?`;
  return [{ code: "unknown-key", path: `${path}.${key}`, got: "a value", why: "There is no such property.", fix }];
}

function resultProblems(path: string, result: Properties, fields: Fields): Problem[] {
  return Object.entries(result).flatMap(([key, got]): Problem[] => {
    const type = fields.get(key);
    if (type === undefined) return unknownKey(path, key, [...fields.keys()]);
    const kind = type.endsWith("[]") ? "list" : ["string", "number", "boolean"].includes(type) ? type : "mapping";
    const given = Array.isArray(got) ? "list" : isRecord(got) ? "mapping" : typeof got;
    if (given === kind || (kind === "mapping" && !/^(\{|outputs\.)/.test(type))) return [];
    return [{ code: "wrong-type", path: `${path}.${key}`, got, why: `Must be a ${kind}.`, fix: `write a ${kind}` }];
  });
}
