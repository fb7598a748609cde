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
