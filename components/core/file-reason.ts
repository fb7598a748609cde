/** The errors of paths that users make. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "you do not have permission to open it",
  EISDIR: "it is a folder",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EROFS: "the disk is read-only",
};

/** Why a file cannot be read or written, as a part of a sentence, without the path on this machine. */
export function fileReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message.split(/[,\n]/)[0] ?? "";
}
