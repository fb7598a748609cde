import { crc32 } from "node:zlib";

// Text in the metadata of a PNG file. @see https://www.w3.org/TR/png-3/#11tEXt

/** Bytes of the signature and of the header, which is always first. */
const headLength = 8 + 25;

/** A picture with one more text. */
export function withText(png: Buffer, keyword: string, text: string): Buffer {
  const content = Buffer.from(`tEXt${keyword}\0${text}`, "latin1");
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([png.subarray(0, headLength), length, content, checksum, png.subarray(headLength)]);
}

/** The text of a keyword; `undefined` if the picture has none. */
export function textIn(png: Buffer, keyword: string): string | undefined {
  for (let at = 8; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const content = png.subarray(at + 4, at + 8 + png.readUInt32BE(at)).toString("latin1");
    if (content.startsWith(`tEXt${keyword}\0`)) return content.slice(`tEXt${keyword}\0`.length);
  }
  return undefined;
}
