import { isRecord } from "../../components/core/reader/records";

/**
 * XML of the query protocol: the items of a list are elements with the name `member`.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export function xml(root: string, value: unknown, namespace: string): string {
  return `<${root} xmlns="${namespace}">${content(value)}</${root}>`;
}

function content(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => element("member", item)).join("");
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return entries.map(([name, item]) => element(name, item)).join("");
  }
  return String(value).replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const element = (name: string, value: unknown) => `<${name}>${content(value)}</${name}>`;
