import type { Reader } from "../../core/reader";
import type { Reading } from "../../core/reading";
import { any, type Truth } from "../../core/unknown";

/** No organisation was ever given larger blocks. Two halves of the internet are the internet. */
const largestIpv4 = 8;
const largestIpv6 = 16;

/** Whether a CIDR block holds the whole internet, or so much of it that it keeps nobody away. */
export function isPublicBlock(block: Reading<string>): Truth {
  return block.is((text) => {
    const prefix = prefixOf(text);
    return prefix !== undefined && prefix < (text.includes(":") ? largestIpv6 : largestIpv4);
  });
}

/** Whether such a block is in a list. */
export function hasPublicBlock(blocks: Reading<readonly Reader[]>): Truth {
  return blocks.is((items) => any(...items.map((item) => isPublicBlock(item.text()))));
}

/** What a message may say of a public block in a list: how large it is, never the text itself. */
export function shownPublicBlock(blocks: Reading<readonly Reader[]>): string {
  const open = blocks.value?.map((item) => item.text()).find((block) => isPublicBlock(block) === true);
  return open ? shownBlock(open) : blocks.shown;
}

export function shownBlock({ value = "" }: Reading<string>): string {
  if (value === "0.0.0.0/0" || value === "::/0") return value;
  return `a block of /${prefixOf(value)}`;
}

function prefixOf(text: string): number | undefined {
  const prefix = /^[\d.:a-f]{2,40}\/(\d{1,3})$/i.exec(text)?.[1];
  return prefix === undefined ? undefined : Number(prefix);
}
