/** Where the price lists are, how often a download is tried, and how long it may take. */
export interface Download {
  /** @default https://pricing.us-east-1.amazonaws.com */
  readonly origin: string;
  /** @default 4 */
  readonly attempts: number;
  /** Before the next attempt. */
  readonly wait: (attempt: number) => Promise<void>;
  /** The longest time without data. @default 60 - AWS answers within a second */
  readonly stallSeconds: number;
  /** The longest time of one attempt. @default 1200 - 300 MB at 2 Mbit/s */
  readonly mostSeconds: number;
}

export const defaultDownload: Download = {
  origin: "https://pricing.us-east-1.amazonaws.com",
  attempts: 4,
  wait: (attempt) => new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 1000)),
  stallSeconds: 60,
  mostSeconds: 1200,
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
  from: Download,
  read: (body: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read(bodyOf(new URL(path, from.origin), from));
    } catch (error) {
      if (error instanceof WrongContent || attempt >= from.attempts) throw new Error(reasonOf(error), { cause: error });
      await from.wait(attempt);
    }
  }
}

/** The chunks of an answer. It ends with an error if nothing comes for too long, or if it takes too long as a whole. */
async function* bodyOf(url: URL, { stallSeconds, mostSeconds }: Download): AsyncGenerator<Uint8Array> {
  const stall = new AbortController();
  const timer = setTimeout(
    () => stall.abort(new Error(`The server sent nothing for ${stallSeconds} s`)),
    stallSeconds * 1000,
  );
  const deadline = AbortSignal.timeout(mostSeconds * 1000);
  try {
    for await (const chunk of await answerOf(url, AbortSignal.any([stall.signal, deadline]))) {
      timer.refresh();
      yield chunk;
    }
  } catch (error) {
    throw deadline.aborted && !stall.signal.aborted ? new Error(`It took more than ${mostSeconds} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf(url: URL, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(url, { signal });
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
