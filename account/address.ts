import { isIPv4 } from "node:net";

/** AWS's service that answers with the address of the sender. */
export const addressService = "https://checkip.amazonaws.com";

const timeoutMs = 5000;

/** The public IPv4 address from which this machine reaches the internet; or why it is not known. */
export async function readAddress(
  url = addressService,
): Promise<{ readonly address: string } | { readonly why: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const text = (await response.text()).trim();
    if (response.ok && isIPv4(text)) return { address: text };
    return { why: `${url} does not answer with an IPv4 address.` };
  } catch {
    return { why: `${url} cannot be reached; state your address with --address.` };
  }
}
