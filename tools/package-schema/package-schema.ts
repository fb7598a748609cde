import type * as ts from "typescript";
import type { PackageSchema, ResourceSchema } from "../../provider/package-schema";
import { type ComponentDoc, componentDocs } from "../argument-docs";
import { argumentsOf } from "./arguments";
import { componentSchemas } from "./component-schemas";
import { outputsOf } from "./outputs";
import type { NamedTypes } from "./types";

/** The Pulumi package schema of every component, from its schema of arguments and its docstrings. The provider adds the version. */
export function packageSchema(): PackageSchema {
  const { checker, components } = componentDocs();
  const types: NamedTypes = {};
  const resources = Object.entries(componentSchemas).map(([name]) => {
    const doc = components.get(name);
    if (!doc) throw new Error(`components/index.ts does not export ${name}`);
    return [`eks-gpu-lab:index:${name}`, resourceOf(checker, name, doc, types)] as const;
  });
  return {
    name: "eks-gpu-lab",
    displayName: "EKS GPU Lab",
    description: "GPU labs on Amazon EKS as Pulumi components",
    keywords: ["eks", "gpu", "nvidia", "kubernetes", "kind/component", "category/cloud"],
    license: "Apache-2.0",
    attribution: "",
    language: {
      nodejs: { respectSchemaVersion: true },
      python: { respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { respectSchemaVersion: true },
      csharp: { respectSchemaVersion: true },
    },
    types: sorted(types),
    resources: Object.fromEntries(resources),
  };
}

function resourceOf(checker: ts.TypeChecker, name: string, doc: ComponentDoc, types: NamedTypes): ResourceSchema {
  const schema = componentSchemas[name as keyof typeof componentSchemas];
  const { properties, required } = argumentsOf(name, schema, doc.args, types);
  return {
    description: doc.text,
    isComponent: true,
    ...outputsOf({ checker, types }, doc.type),
    inputProperties: properties,
    requiredInputs: required,
  };
}

function sorted(types: NamedTypes): NamedTypes {
  return Object.fromEntries(Object.entries(types).sort(([one], [other]) => (one < other ? -1 : 1)));
}
