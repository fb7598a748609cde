/**
 * The reason in an error of a provider, in one line. The provider of AWS writes it below a title:
 * `invoking aws:ec2/getVpc:getVpc: 1 error occurred:`, and then `* reading EC2 VPC: couldn't find resource`.
 */
export function providerReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [title = "", ...lines] = text.split("\n").map((line) => line.trim());
  const listed = lines.flatMap((line) => (line.startsWith("* ") ? [line.slice(2)] : []));
  const isTitle = /\d+ errors? occurred:$/.test(title) && listed.length > 0;
  return isTitle ? title.replace(/\d+ errors? occurred:$/, listed.join("; ")) : title;
}
