import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { some, type Truth } from "../../../components/core/reader/truth";

/** No organisation was ever given larger blocks. Two halves of the internet are the internet. */
const largestIpv4 = 8;
const largestIpv6 = 16;

/** Whether a CIDR block holds the whole internet, or so much of it that it keeps nobody away. */
export function isPublicBlock(block: Reading<string>): Truth {
  return block.is((text) => prefixOf(text) < (text.includes(":") ? largestIpv6 : largestIpv4));
}

/** Whether such a block is in a list. */
export function hasPublicBlock(blocks: Reading<readonly Reader[]>): Truth {
  return blocks.is((items) => some(items, (item) => isPublicBlock(item.text())));
}

/** What a message may say of a public block in a list: how large it is, never the text itself. */
export function shownPublicBlock(blocks: Reading<readonly Reader[]>): string {
  const open = blocks.value?.map((item) => item.text()).find((block) => isPublicBlock(block) === true);
  return open?.value === undefined ? blocks.shown : shownBlock(open.value);
}

export function shownBlock(block: string): string {
  return block === "0.0.0.0/0" || block === "::/0" ? block : `a block of /${prefixOf(block)}`;
}

/** The number after the slash; none is no number. */
function prefixOf(text: string): number {
  return Number(/^[\d.:a-f]{2,40}\/(\d{1,3})$/i.exec(text)?.[1]);
}
