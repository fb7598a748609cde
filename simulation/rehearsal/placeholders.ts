import { isDocumentationCidr } from "../../components/cluster/access/public-access";
import { parseJson } from "../../components/core/json-text";
import type { Project } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";

/** A value that replaces a documentation value of the configuration during a rehearsal. */
export interface Placeholder {
  /** The override of the configuration: `key=value`. */
  readonly override: string;
  readonly why: string;
}

const placeholderAddress = "1.2.3.4/32";

/**
 * The overrides that a stack without its user's address needs for an update: AWS rejects addresses that are reserved for
 * documentation, so a placeholder replaces them.
 *
 * @throws InputError when the configuration cannot be read
 */
export function placeholders(project: Project, stack: string, overrides: readonly string[]): Placeholder[] {
  const { values } = stackConfig(project, stack, overrides);
  const cidrs = parsedList(values[`${project.name}:publicAccessCidrs`]);
  if (!cidrs.some(isDocumentationCidr)) return [];
  const replaced = cidrs.map((cidr) => (isDocumentationCidr(cidr) ? placeholderAddress : cidr));
  const override = `publicAccessCidrs=${JSON.stringify(replaced)}`;
  return [{ override, why: `publicAccessCidrs uses ${placeholderAddress} as a placeholder for your address` }];
}

function parsedList(text = "[]"): unknown[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
}
