import { existsSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileReason } from "../../components/core/file-reason";
import { InputError } from "../../components/core/problems";
import type { Console } from "./command";
import { optionProblem } from "./command-line";

/** The result cannot be written, although the path is valid: for example, the disk is full. */
export class WriteError extends Error {
  /** The commands are bundles with a copy of this class each, so `instanceof` does not work. */
  readonly code = "EKS_GPU_LAB_WRITE";

  static is(error: unknown): error is WriteError {
    return error instanceof Error && (error as { code?: unknown }).code === "EKS_GPU_LAB_WRITE";
  }
}

/** Errors of a path, which the user can correct. */
const pathErrors = ["EACCES", "EISDIR", "ELOOP", "ENAMETOOLONG", "ENOENT", "ENOTDIR", "EPERM", "EROFS"];

/** Whether a file exists that can be read. A folder cannot. */
export function isReadable(file: string, cwd: string): boolean {
  const path = resolve(cwd, file);
  return existsSync(path) && !statSync(path).isDirectory();
}

/** Reads the file of an option. @throws InputError */
export async function readFileOf(option: string, file: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? "Does not exist." : `Cannot be read: ${fileReason(error)}.`;
    throw wrongOption(option, file, why, "use the path of an existing file");
  }
}

/** Writes the file of an option, and says so. @throws InputError for a wrong path; WriteError when writing fails */
export async function writeFileOf(option: string, file: string, content: string, console: Console): Promise<void> {
  try {
    await writeFile(resolve(console.cwd, file), content);
    console.warn(`Wrote ${file}\n`);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (!pathErrors.includes(code)) throw new WriteError(`${option} ${file} cannot be written: ${message}`);
    const why = `Cannot be written: ${code === "ENOENT" ? "its folder does not exist" : fileReason(error)}.`;
    throw wrongOption(option, file, why, "use the path of a file in an existing folder");
  }
}

export function wrongOption(option: string, got: string | true, why: string, fix: string): InputError {
  return new InputError("the command line", [optionProblem(option, got, why, fix)]);
}
