import * as names from "../core/kubernetes-names";
import type { Problem } from "../core/problems";
import { problemsIn } from "../core/schema";

/** Problems of a qualified name. */
export const qualifiedName = (got: unknown, path: string): Problem[] => [
  ...problemsIn(names.qualifiedName(), got, path),
];

/** Problems of the value of a label. */
export const labelValue = (got: unknown, path: string): Problem[] => [...problemsIn(names.labelValue(), got, path)];
