import { clusterRows, networkRows } from "./cluster-rows";
import type { ChangeRow } from "./change-row";
import { labRows, otherRows } from "./lab-rows";
import { gpuRows, systemRows } from "./node-rows";
import { monitoringRows, operatorRows } from "./software-rows";

const wrongAccount = "test/engine/wrong-account.test.ts";

/** The keys of the AWS provider that say where the environment is. */
export const providerRows: Readonly<Record<string, ChangeRow>> = {
  "aws:region": {
    effect: "refused",
    what: "The environment is not in the other region. Use another stack there, or destroy first. The variable `AWS_REGION` counts, too, where the key is not set.",
    proof: { file: wrongAccount, title: "another aws:region is refused" },
  },
  "aws:profile": {
    effect: "refused",
    what: "Refused if the profile is one of another account. In the same account, other credentials act. The variable `AWS_PROFILE` counts, too.",
    proof: {
      file: wrongAccount,
      title: "another aws:profile is refused, in a preview and in an update, and names the account",
    },
  },
};

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
