import type { ChangeRow } from "./change-row";

const file = "test/engine/wrong-account.test.ts";

/** The keys of the AWS provider that say where the environment is. */
export const providerRows: Readonly<Record<string, ChangeRow>> = {
  "aws:region": {
    effect: "refused",
    what: "The environment is not in the other region. Use another stack there, or destroy first. The variable `AWS_REGION` counts, too, where the key is not set.",
    proof: { file, title: "another aws:region is refused" },
  },
  "aws:profile": {
    effect: "refused",
    what: "Refused if the profile is one of another account. In the same account, other credentials act. The variable `AWS_PROFILE` counts, too.",
    proof: { file, title: "another aws:profile is refused, in a preview and in an update, and names the account" },
  },
};
