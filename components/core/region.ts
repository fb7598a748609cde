/** Whether a text has the form of a region's name, e.g. `ap-northeast-2`, `us-gov-west-1` or `eusc-de-east-1`. */
export function isRegion(text: unknown): text is string {
  return typeof text === "string" && /^[a-z]{2,4}(-[a-z]+)+-\d$/.test(text);
}
