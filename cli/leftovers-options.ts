import type { Problem } from "../components/core/problems";
import { withoutUndefined } from "../components/core/reader/records";
import { missingOption, optionProblem, readCommandLine } from "./command-line";

/** The options of `eks-gpu-lab leftovers`. */
export interface LeftoversOptions {
  readonly stack?: string;
  /** Without a stack, or one with the tag of the stack that is not its own. */
  readonly cluster?: string;
  readonly region?: string;
  readonly delete: boolean;
  readonly adopt: boolean;
  /** The name that a terminal would ask for. */
  readonly confirm?: string;
  readonly json: boolean;
}

const options = {
  stack: { type: "string", short: "s" },
  cluster: { type: "string" },
  region: { type: "string" },
  delete: { type: "boolean" },
  adopt: { type: "boolean" },
  confirm: { type: "string" },
  json: { type: "boolean" },
} as const;

export const leftoversHelp = `usage: eks-gpu-lab leftovers [options]

Lists what a failed destroy or a killed update left in AWS, with its cost per day and the commands
that remove it. Finds objects by the tags of the stack, by the tags that EKS and controllers set for
the cluster, and by the VPC. What the state of the stack knows is not left over. Uses your AWS
credentials as the AWS CLI does, or the stack's aws:profile.

  -s, --stack NAME       stack whose state and tags are compared (default: the selected stack)
      --cluster NAME     name of an EKS cluster, instead of a stack; with --stack, one that has the
                         tag of the stack but is not its own, because another lab created it, or
                         because clusterName has changed
      --region NAME      AWS region (default: that of the stack, or of your AWS environment)
      --adopt            finish interrupted creates: put objects that exist into the state, and drop
                         the others
      --delete           remove what is listed, after you typed the name of the stack or the cluster
      --confirm NAME     the same name, for scripts and CI jobs
      --json             print the result as JSON, and everything else to standard error

Examples:
  eks-gpu-lab leftovers --stack gpu-lab
  eks-gpu-lab leftovers --stack gpu-lab --adopt
  eks-gpu-lab leftovers --cluster myeks --region ap-northeast-2

--delete never touches what the state knows, what has the tag of another stack, or what belongs to
another cluster than the stack's. With --cluster alone, it touches nothing while the cluster exists.
While the state has interrupted creates, it refuses: finish them with --adopt, after pulumi cancel.
--adopt changes only the state, and keeps a copy of it in a file.

exit status:
  0  nothing is left over
  1  something is left over, or could not be read or removed
  2  the input is invalid, or AWS rejects the credentials
  3  the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with all problems
 */
export function readLeftoversOptions(args: readonly string[]): LeftoversOptions {
  const line = readCommandLine(options, args);
  const given = withoutUndefined({
    stack: line.text("stack"),
    cluster: line.text("cluster"),
    region: line.text("region"),
    confirm: line.text("confirm"),
  });
  const flags = { delete: line.flag("delete"), adopt: line.flag("adopt"), json: line.flag("json") };
  line.refuse(conflicts({ ...given, ...flags }));
  return { ...given, ...flags };
}

function conflicts({ cluster, confirm, adopt, delete: isDelete }: LeftoversOptions): Problem[] {
  const problem = (isWrong: boolean, path: string, why: string, fix: string) =>
    isWrong ? [optionProblem(path, true, why, fix)] : [];
  return [
    ...(confirm !== undefined && !isDelete
      ? [missingOption("--confirm", confirm, "Confirms --delete, which is missing.", "add --delete, or remove it")]
      : []),
    ...problem(adopt && isDelete, "--adopt", "Cannot be combined with --delete.", "adopt first, then list again"),
    ...problem(adopt && cluster !== undefined, "--adopt", "Changes the state of a stack.", "use --stack"),
  ];
}
