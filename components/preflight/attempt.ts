import { log } from "@pulumi/pulumi";
import { providerReason } from "../core/provider-reason";

/** Reads a part of the facts. A part that cannot be read, because a permission is missing, is left out with a warning. */
export async function attempt<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    await log.warn(`Preflight cannot read ${what} and skips its checks: ${providerReason(error)}`);
    return undefined;
  }
}

/** What is read; undefined if it does not exist. The provider names a missing object in the text of the error only. */
export async function ifExists<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    const isMissing = /couldn't find resource|empty result|no matching|NotFound/.test((error as Error).message);
    if (isMissing) return undefined;
    throw error;
  }
}
