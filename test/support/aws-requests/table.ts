import { budgetRows } from "./budget-rows";
import { ec2Rows } from "./ec2-rows";
import { functionRows } from "./function-rows";
import { eksRows } from "./eks-rows";
import { iamRows } from "./iam-rows";
import { otherRows } from "./other-rows";
import type { Row } from "./row";

/** How the provider creates each type of resource and answers each function: the operations, and the exceptions in the names of their members. */
export const rows: Readonly<Record<string, Row>> = {
  ...ec2Rows,
  ...eksRows,
  ...iamRows,
  ...otherRows,
  ...budgetRows,
  ...functionRows,
};
