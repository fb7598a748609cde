import type { Input } from "@pulumi/pulumi";
import * as v from "valibot";
import type { Problem } from "./problems";
import { check, input, mapOf, text } from "./schema";

/** The Pulumi type token of a component of this library. Policies match on it: part of the public interface. */
export function token<Class extends string>(name: Class): `eks-gpu-lab:index:${Class}` {
  return `eks-gpu-lab:index:${name}`;
}

/** Tags of every taggable resource; the caller's tags take precedence. */
export type Tags = Readonly<Record<string, Input<string>>>;

/**
 * Limits that apply in every AWS service used here.
 * @see https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
 */
function tagProblems(parent: string, key: string, value: unknown): Problem[] {
  const path = `${parent}.${key}`;
  const refused = (why: string, fix: string): Problem[] => [{ code: "not-allowed", path, got: value, why, fix }];
  if (/^aws:/i.test(key)) return refused("Keys that begin with aws: belong to AWS.", "choose another key");
  const text = typeof value === "string" ? value : "";
  if (key.length < 1 || key.length > 128 || text.length > 256) {
    return refused("A key must have 1 to 128 characters, and a value at most 256.", "shorten it");
  }
  const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;
  if (allowed.test(key) && allowed.test(text)) return [];
  return refused("AWS accepts letters, digits, spaces and _ . : / = + - @ in tags.", "remove the other characters");
}

/** The tags of one resource: the shared ones and its Name. */
export function named(name: string, tags: Tags | undefined): Record<string, Input<string>> {
  return { Name: name, ...tags };
}

/** Tags of AWS resources. */
export function tagMap() {
  return v.pipe(
    mapOf(input(text("set {path} to a string")), '{ Team: "research" }'),
    check((tags: Tags, at) => Object.entries(tags).flatMap(([key, value]) => tagProblems(at, key, value))),
  );
}
