import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";

/** A type of a model: a primitive, an object by its name, or a list or map of either. */
export type Type = { readonly name: string } | { readonly list: Type } | { readonly map: Type };

export interface Field {
  readonly type: Type;
  readonly required: boolean;
}

/** What one release of Kubernetes takes. */
export interface ApiModel {
  /** The name of the object's type. */
  rootOf(apiVersion: string, kind: string): string;
  /** The fields of a type; undefined where the release has none of that name. */
  fieldsOf(name: string): ReadonlyMap<string, Field> | undefined;
}

const { resolve } = createRequire(__filename);

function fileOf(library: string, path: string): string {
  return join(dirname(resolve(`${library}/package.json`)), path);
}

/** Kubernetes 1.34: the classes of @kubernetes/client-node 1.4.0, generated from its OpenAPI document. */
export const kubernetes134: ApiModel = {
  rootOf: (apiVersion, kind) => {
    const version = apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
    return `${version.charAt(0).toUpperCase()}${version.slice(1)}${kind}`;
  },
  fieldsOf: remembered((name) => {
    const declaration = /^\w+$/.test(name)
      ? classIn(fileOf("@kubernetes/client-node", `dist/gen/models/${name}.d.ts`))
      : undefined;
    return declaration && fieldsOf(declaration.members, typeOfClient);
  }),
};

function classIn(file: string): ts.ClassDeclaration | undefined {
  try {
    return sourceOf(file).statements.find((statement) => ts.isClassDeclaration(statement));
  } catch {
    return undefined;
  }
}

function typeOfClient(node: ts.TypeNode): Type {
  const [argument] = ts.isTypeReferenceNode(node) ? (node.typeArguments ?? []) : [];
  if (argument) return { list: typeOfClient(argument) };
  const map = valueOfMap(node);
  return map ? { map: typeOfClient(map) } : { name: node.getText() };
}

/** Kubernetes 1.36: the input types of @pulumi/kubernetes 4.34.0, generated from its OpenAPI document. */
export const kubernetes136: ApiModel = {
  rootOf: (apiVersion, kind) => {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
    return `${group?.split(".")[0]}.${version}.${kind}`;
  },
  fieldsOf: remembered((name) => {
    const declaration = interfaces().get(name);
    return declaration && fieldsOf(declaration.members, typeOfPulumi);
  }),
};

/** By `group.version.Kind`. */
let ofPulumi: ReadonlyMap<string, ts.InterfaceDeclaration> | undefined;
function interfaces(): ReadonlyMap<string, ts.InterfaceDeclaration> {
  return (ofPulumi ??= new Map(
    interfacesIn(sourceOf(fileOf("@pulumi/kubernetes", "types/input.d.ts")).statements, ""),
  ));
}

function interfacesIn(statements: Iterable<ts.Statement>, at: string): [string, ts.InterfaceDeclaration][] {
  return [...statements].flatMap((statement) => {
    if (ts.isInterfaceDeclaration(statement)) return [[`${at}${statement.name.text}`, statement]];
    if (!ts.isModuleDeclaration(statement) || !statement.body || !ts.isModuleBlock(statement.body)) return [];
    return interfacesIn(statement.body.statements, `${at}${statement.name.text}.`);
  });
}

function typeOfPulumi(node: ts.TypeNode): Type {
  if (ts.isUnionTypeNode(node)) {
    const members = node.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword);
    const [only, ...others] = members;
    return only && others.length === 0 ? typeOfPulumi(only) : { name: "IntOrString" };
  }
  if (ts.isArrayTypeNode(node)) return { list: typeOfPulumi(node.elementType) };
  const [argument] = ts.isTypeReferenceNode(node) ? (node.typeArguments ?? []) : [];
  if (argument) return typeOfPulumi(argument);
  const map = valueOfMap(node);
  if (map) return { map: typeOfPulumi(map) };
  return { name: ts.isLiteralTypeNode(node) ? "string" : node.getText().replace(/^inputs\./, "") };
}

function fieldsOf(
  members: Iterable<ts.ClassElement | ts.TypeElement>,
  typeOf: (node: ts.TypeNode) => Type,
): ReadonlyMap<string, Field> {
  const properties = [...members].flatMap((member) => {
    if (!ts.isPropertyDeclaration(member) && !ts.isPropertySignature(member)) return [];
    const isNamed = ts.isStringLiteral(member.name) || ts.isIdentifier(member.name);
    return isNamed && member.type && !isStatic(member)
      ? [{ key: (member.name as ts.Identifier).text, type: member.type, required: member.questionToken === undefined }]
      : [];
  });
  return new Map(
    // One generator leads with a dash what is a word of JavaScript: `_from`.
    properties.map(({ key, type, required }) => [key.replace(/^_/, ""), { type: typeOf(type), required }]),
  );
}

function isStatic(member: ts.PropertyDeclaration | ts.PropertySignature): boolean {
  return member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
}

/** `{ [key: string]: X }` */
function valueOfMap(node: ts.TypeNode): ts.TypeNode | undefined {
  const [member] = ts.isTypeLiteralNode(node) ? node.members : [];
  return member && ts.isIndexSignatureDeclaration(member) ? member.type : undefined;
}

function sourceOf(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

function remembered<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name) as T;
  };
}
