import { existsSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { InputError } from "../../components/core/problems";
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
    const { code, message } = error as NodeJS.ErrnoException;
    // After a comma, the message has the path on this machine.
    const why = code === "ENOENT" ? "Does not exist." : `Must be a readable file: ${message.split(",")[0]}.`;
    throw wrongOption(option, file, why, "use the path of an existing file");
  }
}

/** Writes the file of an option. @throws InputError for a wrong path; WriteError when writing fails */
export async function writeFileOf(option: string, file: string, content: string, cwd: string): Promise<void> {
  try {
    await writeFile(resolve(cwd, file), content);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (!pathErrors.includes(code)) throw new WriteError(`${option} ${file} cannot be written: ${message}`);
    throw wrongOption(option, file, `Cannot be written: ${message}.`, "use a path in an existing folder");
  }
}

export function wrongOption(option: string, got: string | true, why: string, fix: string): InputError {
  return new InputError("the command line", [optionProblem(option, got, why, fix)]);
}
