import { relative, resolve } from "node:path";
import * as ts from "typescript";

/** What is written about one argument of a component. */
export interface ArgumentDoc {
  /** Dotted for an argument inside a section. */
  readonly path: string;
  /** The docstring without its tags. */
  readonly text: string;
  readonly isOptional: boolean;
  /** Such as `string`, `readonly string[]` or `"on" | "off"`. */
  readonly type: string;
  /** What follows `@default`. */
  readonly defaultText: string | undefined;
  /** What follows `@change`: what a change does to a running environment. */
  readonly changeText: string | undefined;
  /** What follows `@changeCost`. */
  readonly changeCost: string | undefined;
  /** The default that the schema fills in, where it is a literal. */
  readonly schemaDefault: unknown;
}

/** A component that components/index.ts exports. */
export interface ComponentDoc {
  /** The docstring, with what the component costs. */
  readonly text: string;
  readonly args: readonly ArgumentDoc[];
  /** The type of its instances. */
  readonly type: ts.Type;
}

/**
 * Every component that components/index.ts exports, by its name, as the compiler sees it. A program against the library
 * shows the same docstrings.
 */
export function componentDocs(): { checker: ts.TypeChecker; components: Map<string, ComponentDoc> } {
  const program = libraryProgram("components/index.ts");
  const checker = program.getTypeChecker();
  const index = program.getSourceFile(resolve("components/index.ts"));
  const library = index && checker.getSymbolAtLocation(index);
  if (!library) throw new Error("components/index.ts exports nothing");
  const components = checker.getExportsOfModule(library).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const args = argumentsType(checker, symbol);
    return args ? [[exported.name, componentDoc(checker, symbol, args)] as const] : [];
  });
  return { checker, components: new Map(components) };
}

function componentDoc(checker: ts.TypeChecker, symbol: ts.Symbol, args: ts.Type): ComponentDoc {
  const cost = symbol.getJsDocTags(checker).find(({ name }) => name === "cost");
  const texts = [
    ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    ...(cost ? [`Cost: ${ts.displayPartsToString(cost.text)}`] : []),
  ];
  return {
    text: texts.join("\n\n"),
    args: documented(checker, args, ""),
    type: checker.getDeclaredTypeOfSymbol(symbol),
  };
}

/** The arguments of an interface that a file exports, as {@link componentDocs} returns those of a component, without items. */
export function interfaceDocs(file: string, name: string): readonly ArgumentDoc[] {
  const docs = docsOfInterfaces.get(`${file} ${name}`) ?? readInterface(file, name);
  docsOfInterfaces.set(`${file} ${name}`, docs);
  return docs;
}

/** TypeScript reads an interface once, which takes ten seconds. */
const docsOfInterfaces = new Map<string, readonly ArgumentDoc[]>();

function readInterface(file: string, name: string): readonly ArgumentDoc[] {
  const program = libraryProgram(file);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(resolve(file));
  const exported = source && checker.getSymbolAtLocation(source)?.exports?.get(ts.escapeLeadingUnderscores(name));
  if (!exported) throw new Error(`${file} does not export ${name}`);
  const docs = documented(checker, checker.getDeclaredTypeOfSymbol(exported), "");
  return docs.filter(({ path }) => !path.includes("[]"));
}

function libraryProgram(file: string): ts.Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const options = ts.getParsedCommandLineOfConfigFile("tsconfig.json", {}, host)?.options ?? {};
  return ts.createProgram([file], options);
}

/** The type of the second parameter of a class's constructor: `(name, args, opts)`. */
function argumentsType(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Type | undefined {
  if (!(symbol.flags & ts.SymbolFlags.Class) || !symbol.valueDeclaration) return undefined;
  const [constructor] = checker.getTypeOfSymbolAtLocation(symbol, symbol.valueDeclaration).getConstructSignatures();
  const args = constructor?.parameters[1];
  return args && constructor.parameters[0]?.name === "name" ? checker.getTypeOfSymbol(args) : undefined;
}

function documented(checker: ts.TypeChecker, type: ts.Type, at: string): ArgumentDoc[] {
  return type.getProperties().flatMap((property) => {
    const path = at === "" ? property.name : `${at}.${property.name}`;
    const tagText = (name: string) => {
      const tag = property.getJsDocTags(checker).find((each) => each.name === name);
      return tag && ts.displayPartsToString(tag.text);
    };
    const section = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    const own: ArgumentDoc = {
      path,
      text: ts.displayPartsToString(property.getDocumentationComment(checker)),
      isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
      type: checker.typeToString(section),
      defaultText: tagText("default"),
      changeText: tagText("change"),
      changeCost: tagText("changeCost"),
      schemaDefault: schemaDefault(property),
    };
    const inner = itemDocs(checker, section, path);
    return [own, ...(isSection(section) ? documented(checker, section, path) : inner)];
  });
}

/** The keys of the items of a list, or of the values of a map: `taints[].key`. */
function itemDocs(checker: ts.TypeChecker, type: ts.Type, path: string): ArgumentDoc[] {
  const item = type.getNumberIndexType() ?? type.getStringIndexType();
  const keys = item?.getProperties() ?? [];
  const isOwn = keys.length > 0 && keys.every(({ declarations = [] }) => declarations.some(isOfLibrary));
  return item && isOwn ? documented(checker, item, `${path}[]`) : [];
}

/** Whether the keys of a type are described in this library, and not by Pulumi, AWS or Kubernetes. */
function isSection(type: ts.Type): boolean {
  const keys = type.getProperties();
  return keys.length > 0 && keys.every(({ declarations = [] }) => declarations.some(isOfSchema));
}

function isOfSchema(node: ts.Declaration): boolean {
  const isKey = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
  return isKey && isOfLibrary(node);
}

function isOfLibrary(node: ts.Declaration): boolean {
  return /^(components|stacks)\//.test(relative(process.cwd(), node.getSourceFile().fileName));
}

/** `maxSize: s.optional(maxNodeCount(), 2)` fills in 2. */
function schemaDefault({ declarations = [] }: ts.Symbol): unknown {
  const declaration = declarations.find(isOfSchema);
  const call = declaration && ts.isPropertyAssignment(declaration) ? declaration.initializer : undefined;
  const isOptional = call && ts.isCallExpression(call) && /^(s\.)?optional$/.test(call.expression.getText());
  const literal = isOptional && call.arguments[1];
  if (!literal) return undefined;
  try {
    return JSON.parse(literal.getText().replace(/^'|'$/g, '"')) as unknown;
  } catch {
    return undefined;
  }
}
