import type { PreflightFacts } from "../components/preflight/preflight-facts";
import { AwsError, type AwsErrorKind } from "../sessions/aws-error";
import { within } from "../sessions/within";

interface ReaderOptions {
  /** Errors after which no other request can work: they end the reading. */
  readonly fatal: readonly AwsErrorKind[];
  /** How long a part may take. @default as long as the SDK waits */
  readonly seconds?: number;
}

/** Collects why parts could not be read. */
export class FactReader {
  readonly unread: Partial<Record<keyof PreflightFacts, string>> = {};
  readonly notes: string[] = [];

  constructor(private readonly options: ReaderOptions = { fatal: ["identity", "network", "region"] }) {}

  async read<Name extends keyof PreflightFacts>(
    name: Name,
    read: () => Promise<PreflightFacts[Name] | undefined>,
  ): Promise<Pick<PreflightFacts, Name> | Record<string, never>> {
    const result = await this.attempt(read);
    if ("value" in result) return result.value === undefined ? {} : ({ [name]: result.value } as never);
    this.unread[name] = result.why;
    return {};
  }

  /** @throws AwsError when no other request can work */
  async attempt<T>(read: () => Promise<T>): Promise<{ readonly value: T } | { readonly why: string }> {
    const { fatal, seconds } = this.options;
    try {
      return { value: await (seconds === undefined ? read() : within(seconds, "the account", read())) };
    } catch (error) {
      if (!(error instanceof AwsError) || fatal.includes(error.kind)) throw error;
      return { why: error.kind === "denied" ? `The permission ${error.action} is missing.` : error.why };
    }
  }
}
