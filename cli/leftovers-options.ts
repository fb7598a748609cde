import type { Problem } from "../components/core/problems";
import { withoutUndefined } from "../components/core/reader/records";
import { missingOption, optionProblem, readCommandLine } from "./command-line";

/** The options of `eks-gpu-lab leftovers`. */
export interface LeftoversOptions {
  readonly stack?: string;
  /** The id of an environment, instead of a stack. */
  readonly id?: string;
  /** Instead of a stack. */
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
  id: { type: "string" },
  cluster: { type: "string" },
  region: { type: "string" },
  delete: { type: "boolean" },
  adopt: { type: "boolean" },
  confirm: { type: "string" },
  json: { type: "boolean" },
} as const;

export const leftoversHelp = `usage: eks-gpu-lab leftovers [options]

Lists what a failed destroy or a killed update left in AWS, with its cost per day and the commands
that remove it. Finds objects by the id of the environment, by the tag of the stack, by tags that
EKS and controllers set for the cluster, and by the VPC. What the state of the stack knows is
not left over. Uses your AWS credentials as the AWS CLI does, or the stack's aws:profile.

  -s, --stack NAME       stack whose state and tags are compared (default: the selected stack)
      --id ID            id of an environment, instead of a stack: REGION/ACCOUNT/UUID, the tag
                         eks-gpu-lab/id; for a state that is lost
      --cluster NAME     name of an EKS cluster, instead of a stack; only lists
      --region NAME      AWS region (default: that of the stack, or of your AWS environment)
      --adopt            finish interrupted creates: put objects that exist into the state, and drop
                         the others
      --delete           remove what the environment created, after you typed the name of the stack,
                         or the id
      --confirm NAME     the same name, for scripts and CI jobs
      --json             print the result as JSON, and everything else to standard error

Examples:
  eks-gpu-lab leftovers --stack gpu-lab
  eks-gpu-lab leftovers --stack gpu-lab --adopt
  eks-gpu-lab leftovers --cluster myeks --region ap-northeast-2

--delete only removes what has the id of the environment, and what nothing else uses. It removes
nothing while another cluster with the name of the stack's runs, or while pods hold GPUs.
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
    id: line.text("id"),
    cluster: line.text("cluster"),
    region: line.text("region"),
    confirm: line.text("confirm"),
  });
  const flags = { delete: line.flag("delete"), adopt: line.flag("adopt"), json: line.flag("json") };
  line.refuse(conflicts({ ...given, ...flags }));
  return { ...given, ...flags };
}

/** `ap-northeast-2/123456789012/UUID` */
const idForm = /^([a-z]{2}(?:-[a-z]+)+-\d)\/(\d{12})\/[\w-]+$/;

/** The region in the id of an environment. */
export function regionOfId(id: string): string | undefined {
  return idForm.exec(id)?.[1];
}

/** The account in the id of an environment. */
export function accountOfId(id: string): string | undefined {
  return idForm.exec(id)?.[2];
}

function conflicts({ stack, id, cluster, region, confirm, adopt, delete: isDelete }: LeftoversOptions): Problem[] {
  const place = id && regionOfId(id);
  const problem = (isWrong: boolean, path: string, why: string, fix: string, got: string | true = true) =>
    isWrong ? [optionProblem(path, got, why, fix)] : [];
  const ofCluster =
    cluster === undefined
      ? []
      : [
          ...problem((stack ?? id) !== undefined, "--cluster", severalTargets, "remove it", cluster),
          ...problem(isDelete, "--delete", noProof, "use --id with an id of the list, or copy its commands"),
        ];
  const ofId =
    id === undefined
      ? []
      : [
          ...problem(stack !== undefined, "--id", severalTargets, "remove one of them", id),
          ...problem(!place, "--id", "Must be a value of the tag eks-gpu-lab/id.", "use REGION/ACCOUNT/UUID", id),
          ...problem(
            region !== undefined && place !== undefined && region !== place,
            "--region",
            `The environment is in ${place}.`,
            "remove it",
            region,
          ),
        ];
  const unneeded = "Confirms --delete, which is missing.";
  return [
    ...(confirm !== undefined && !isDelete
      ? [missingOption("--confirm", confirm, unneeded, "add --delete, or remove it")]
      : []),
    ...problem(adopt && isDelete, "--adopt", "Cannot be combined with --delete.", "adopt first, then list again"),
    ...problem((cluster ?? id) !== undefined && adopt, "--adopt", "Changes the state of a stack.", "use --stack"),
    ...ofCluster,
    ...ofId,
  ];
}

const severalTargets = "Cannot be combined with another of --stack, --id and --cluster.";
const noProof = "A name does not prove who created an object, so --delete needs a stack or an id.";
