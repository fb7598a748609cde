import { clusterRows, networkRows } from "./cluster-rows";
import type { ChangeRow } from "./change-row";
import { labRows, otherRows } from "./lab-rows";
import { gpuRows, systemRows } from "./node-rows";
import { providerRows } from "./provider-rows";
import { monitoringRows, operatorRows } from "./software-rows";

/** The rows by key, in the order of the page. */
export const changeTable: Readonly<Record<string, ChangeRow>> = {
  ...clusterRows,
  ...networkRows,
  ...systemRows,
  ...gpuRows,
  ...operatorRows,
  ...monitoringRows,
  ...otherRows,
  ...labRows,
  ...providerRows,
};
