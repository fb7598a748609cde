import { log } from "@pulumi/pulumi";

/** Reads a part of the facts. A part that cannot be read, because a permission is missing, is left out with a warning. */
export async function attempt<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    await log.warn(`Preflight cannot read ${what} and skips its checks: ${(error as Error).message.split("\n")[0]}`);
    return undefined;
  }
}
