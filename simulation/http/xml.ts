import { isRecord } from "../../components/core/reader/records";

/**
 * XML of the query protocols.
 *
 * @param item the name of the elements of a list: `member` in the query protocol, `item` in that of EC2
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export function xml(root: string, value: unknown, namespace: string, item = "member"): string {
  return `<${root} xmlns="${namespace}">${content(value, item)}</${root}>`;
}

function content(value: unknown, item: string): string {
  const element = (name: string, inner: unknown) => `<${name}>${content(inner, item)}</${name}>`;
  if (Array.isArray(value)) return value.map((one) => element(item, one)).join("");
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return entries.map(([name, inner]) => element(name, inner)).join("");
  }
  return String(value).replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
