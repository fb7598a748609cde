import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { attempt } from "../program/attempt";

/** The properties of a result to their types, as TypeScript writes them. */
export type Fields = ReadonlyMap<string, string>;

/** The results of the functions of the provider SDKs that a project has, from their declarations. */
export class ResultTypes {
  readonly #texts = new Map<string, string>();
  readonly #nested = new Map<string, Fields | undefined>();
  readonly #resolve: NodeJS.Require["resolve"];

  constructor(projectDir: string) {
    this.#resolve = createRequire(join(projectDir, "package.json")).resolve;
  }

  /** Whether the SDK of the function is installed. */
  hasSdk(token: string): boolean {
    return this.#folder(token) !== undefined;
  }

  /** The fields of the result of a function such as `aws:ec2/getVpc:getVpc`; undefined if its SDK does not declare it. */
  of(token: string): Fields | undefined {
    const text = this.#declarations(token);
    const result = this.#resultOf(token);
    return result === undefined ? undefined : fieldsOf(text, result);
  }

  /** The arguments of a function. */
  argumentsOf(token: string): Fields | undefined {
    return fieldsOf(this.#declarations(token), this.#resultOf(token)?.replace(/Result$/, "Args") ?? "");
  }

  #resultOf(token: string): string | undefined {
    const [, , name = ""] = token.split(":");
    return new RegExp(`function ${name}\\([^;]*\\): Promise<(\\w+)>;`).exec(this.#declarations(token))?.[1];
  }

  /** The fields of a type that a result of the function uses, such as `outputs.ec2.GetVpcFilter`. */
  nested(token: string, type: string): Fields | undefined {
    const key = `${type.startsWith("outputs.") ? (token.split(":")[0] ?? "") : token} ${type}`;
    if (!this.#nested.has(key)) this.#nested.set(key, this.#read(token, type));
    return this.#nested.get(key);
  }

  #read(token: string, type: string): Fields | undefined {
    const [, namespace = "", name = ""] = /^outputs\.(?:([\w.]+)\.)?(\w+)$/.exec(type) ?? [];
    if (name === "") return /^\w+$/.test(type) ? fieldsOf(this.#declarations(token), type) : undefined;
    const text = this.#text(join(this.#folder(token) ?? "", "types", "output.d.ts"));
    return fieldsOf(text, name, namespace === "" ? 0 : text.indexOf(`namespace ${namespace} {`));
  }

  /** The functions of the module of a token, for suggestions. */
  siblings(token: string): readonly string[] {
    const [sdk = "", module = ""] = token.split(":");
    const folder = this.#folder(token);
    const files = attempt(() => readdirSync(join(folder ?? "", moduleFolder(module)))) ?? [];
    const names = files.flatMap((file) => /^(get\w+)\.d\.ts$/.exec(file)?.[1] ?? []);
    return folder === undefined ? [] : names.map((name) => `${sdk}:${module.split("/")[0]}/${name}:${name}`);
  }

  #declarations(token: string): string {
    const [, module = "", name = ""] = token.split(":");
    const folder = this.#folder(token);
    return folder === undefined ? "" : this.#text(join(folder, moduleFolder(module), `${name}.d.ts`));
  }

  #folder(token: string): string | undefined {
    return attempt(() => dirname(this.#resolve(`@pulumi/${token.split(":")[0]}/package.json`)));
  }

  #text(file: string): string {
    // A function without declarations has no known result.
    const text = this.#texts.get(file) ?? attempt(() => readFileSync(file, "utf8")) ?? "";
    this.#texts.set(file, text);
    return text;
  }
}

function moduleFolder(module: string): string {
  const [folder = ""] = module.split("/");
  return folder === "index" ? "" : folder;
}

/** The properties of an interface. Each is declared in a line that ends with a semicolon, or with a brace. */
function fieldsOf(text: string, name: string, from = 0): Fields | undefined {
  const expression = new RegExp(`^( *)(?:export )?interface ${name} \\{`, "gm");
  expression.lastIndex = Math.max(from, 0);
  const [, indent] = expression.exec(text) ?? [];
  if (indent === undefined || name === "") return undefined;
  const start = expression.lastIndex;
  const body = text.slice(start, text.indexOf(`\n${indent}}`, start)).replace(/\/\*[\s\S]*?\*\//g, "");
  const declared = body.matchAll(/^ *(?:readonly )?(\w+)\??: ([^;{]+|\{[^}]*\});/gm);
  return new Map([...declared].map(([, field = "", type = ""]) => [field, type.replace(/\s+/g, " ")]));
}
