/** Where the price lists are, and how often a download is tried. */
export interface Download {
  /** @default https://pricing.us-east-1.amazonaws.com */
  readonly origin: string;
  /** @default 4 */
  readonly attempts: number;
  /** Before the next attempt. */
  readonly wait: (attempt: number) => Promise<void>;
}

export const defaultDownload: Download = {
  origin: "https://pricing.us-east-1.amazonaws.com",
  attempts: 4,
  wait: (attempt) => new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 1000)),
};

/** The content of a download is wrong: another attempt gets the same. */
export class WrongContent extends Error {}

/**
 * Downloads a file and reads it. A dropped connection and an answer such as 503 or 429 start over, with a new reader.
 *
 * @throws Error with the reason of the last attempt
 */
export async function download<T>(
  path: string,
  { origin, attempts, wait }: Download,
  read: (body: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read(await bodyOf(new URL(path, origin)));
    } catch (error) {
      if (error instanceof WrongContent || attempt >= attempts) throw new Error(reasonOf(error), { cause: error });
      await wait(attempt);
    }
  }
}

async function bodyOf(url: URL): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(url);
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  const message = `The server answered ${response.status} ${response.statusText}`.trim();
  throw response.status >= 500 || response.status === 429 ? new Error(message) : new WrongContent(message);
}

/** `fetch failed` and `terminated` have the reason in their cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  return cause instanceof Error && cause.message !== "" ? `${message}: ${cause.message}` : message;
}
