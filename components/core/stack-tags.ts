/** The tag with the id of an environment: the only proof that the environment created an object. */
export const idTag = "eks-gpu-lab/id";
/** Tags with which objects are found, and matched to the resource that created them. Two stacks can have the same values. */
export const stackTag = "eks-gpu-lab/stack";
export const nameTag = "eks-gpu-lab/name";

/** @see https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html */
const longestValue = 256;
export const mostTags = 50;

/** The value of a tag: characters that AWS does not accept become `_`. */
export function tagValue(text: string): string {
  return text.replace(/[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu, "_").slice(0, longestValue);
}

/** The value of {@link stackTag}: `organization/project/stack`; with a backend of your own, the first is `organization`. */
export function stackTagValue(organization: string, project: string, stack: string): string {
  return tagValue(`${organization}/${project}/${stack}`);
}
