import { isDocumentationCidr } from "../../components/cluster/access/public-access";
import type { Project } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";

/** A value that a committed stack file cannot hold, and that stands in its place in a rehearsal. */
export interface Placeholder {
  readonly override: string;
  readonly why: string;
}

/**
 * What is laid over a stack's configuration so that an update goes through: nobody's address stands in for the
 * user's, where the file holds one that is reserved for documentation, which an update refuses.
 *
 * @throws InputError when the configuration cannot be read
 */
export function placeholders(project: Project, stack: string, overrides: readonly string[]): Placeholder[] {
  const { values } = stackConfig(project, stack, overrides);
  const key = `${project.name}:publicAccessCidrs`;
  const cidrs = list(values[key]);
  if (!cidrs.some(isDocumentationCidr)) return [];
  const override = `publicAccessCidrs=${JSON.stringify(cidrs.map((cidr) => (isDocumentationCidr(cidr) ? placeholderAddress : cidr)))}`;
  return [{ override, why: `${placeholderAddress} stands in for your address in publicAccessCidrs` }];
}

const placeholderAddress = "1.2.3.4/32";

function list(text: string | undefined): unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
