import { createInterface, type Interface } from "node:readline";

/** The lines of an input, one at a time. */
export class Lines {
  private readonly reader: Interface;
  private readonly waiting: string[] = [];
  private isEnded = false;
  private wake: () => void = () => undefined;

  constructor(input: NodeJS.ReadableStream) {
    // Not as a terminal: that would read Ctrl-C as a key, and no signal would arrive.
    this.reader = createInterface({ input, terminal: false });
    this.reader.on("line", (line) => {
      this.waiting.push(line);
      this.wake();
    });
    this.reader.once("close", () => {
      this.isEnded = true;
      this.wake();
    });
  }

  /** The next line; undefined at the end of the input, and when the signal is aborted. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    while (this.waiting.length === 0 && !this.isEnded && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return signal.aborted ? undefined : this.waiting.shift();
  }

  close(): void {
    this.reader.close();
  }
}
