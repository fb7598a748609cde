import { defineCommand } from "../core/define-command";
import { flag, region, stack, text } from "../core/options";

/** `ap-northeast-2/123456789012/UUID` */
const idForm = /^([a-z]{2}(?:-[a-z]+)+-\d)\/(\d{12})\/[\w-]+$/;

const severalTargets = "Cannot be combined with another of --stack, --id and --cluster.";
const noProof = "A name does not prove who created an object, so --delete needs a stack or an id.";

/** The command line of `eks-gpu-lab leftovers`. */
export const leftoversCommand = defineCommand({
  summary: "list and remove objects that a failed destroy or a killed update left in AWS",
  options: {
    stack: stack("stack whose state and tags are compared", "the selected stack"),
    id: text(
      "ID",
      "id of an environment, instead of a stack: REGION/ACCOUNT/UUID, the tag eks-gpu-lab/id; if the state is lost",
      { form: [idForm, "Must be a value of the tag eks-gpu-lab/id.", "use REGION/ACCOUNT/UUID"] },
    ),
    cluster: text("NAME", "name of an EKS cluster, instead of a stack; only lists"),
    region,
    adopt: flag("finish interrupted creates: put objects that exist into the state, and drop the others"),
    delete: flag("remove objects that the environment created, after you type the name of the stack, or the id"),
    confirm: text("NAME", "confirm --delete with this name or id, for scripts and CI jobs"),
    json: flag("print the result as JSON, and everything else to standard error"),
  },
  conflicts: ({ stack, id, cluster, region, confirm, adopt, delete: isDelete }) => {
    const place = id === undefined ? undefined : regionOfId(id);
    const isElsewhere = region !== undefined && place !== undefined && region !== place;
    const isWithoutDelete = confirm !== undefined && !isDelete;
    const ofDelete = "use --id with an id of the list, or copy its commands";
    return [
      [isWithoutDelete, "confirm", "Confirms --delete, which is missing.", "add --delete, or remove it", "missing"],
      [adopt && isDelete, "adopt", "Cannot be combined with --delete.", "adopt first, then list again"],
      [adopt && (cluster ?? id) !== undefined, "adopt", "Changes the state of a stack.", "use --stack"],
      [cluster !== undefined && (stack ?? id) !== undefined, "cluster", severalTargets, "remove it"],
      [cluster !== undefined && isDelete, "delete", noProof, ofDelete],
      [id !== undefined && stack !== undefined, "id", severalTargets, "remove one of them"],
      [isElsewhere, "region", `The environment is in ${place}.`, "remove it"],
    ];
  },
  help: (options) => `usage: eks-gpu-lab leftovers [options]

Lists objects that a failed destroy or a killed update left in AWS, with their cost per day and the
commands that remove them. Finds objects by the id of the environment, by the tag of the stack, by
tags that EKS and controllers set for the cluster, and by the VPC. Objects in the state of the stack
are not left over. Uses your AWS credentials as the AWS CLI does, or the stack's aws:profile.

${options(25)}

Examples:
  eks-gpu-lab leftovers --stack gpu-lab
  eks-gpu-lab leftovers --stack gpu-lab --adopt
  eks-gpu-lab leftovers --cluster myeks --region ap-northeast-2

--delete removes only objects that have the id of the environment and that nothing else uses. It
removes nothing while another cluster with the same name runs, or while pods hold GPUs. It refuses
while the state has interrupted creates: finish them with --adopt, after pulumi cancel.
--adopt changes only the state, and keeps a copy of it in a file.

exit status:
  0  nothing is left over
  1  something is left over, or could not be read or removed
  2  the input is invalid, or AWS rejects the credentials
  3  the tool failed
`,
});

export function regionOfId(id: string): string | undefined {
  return idForm.exec(id)?.[1];
}

export function accountOfId(id: string): string | undefined {
  return idForm.exec(id)?.[2];
}
