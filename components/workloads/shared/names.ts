import * as names from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { problemsIn } from "../../core/schema";

/** Problems of a DNS label. For components whose arguments have no schema yet. */
export const dnsLabelProblems = (path: string, got: unknown, longest?: number): Problem[] => [
  ...problemsIn(names.dnsLabel(longest === undefined ? {} : { longest }), got, path),
];

/** Problems of a namespace. For components whose arguments have no schema yet. */
export const namespaceProblems = (path: string, got: unknown): Problem[] => [
  ...problemsIn(names.namespace(), got, path),
];
