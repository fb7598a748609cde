import type { PreflightFacts } from "../../components/preflight/preflight-facts";
import { AwsError, type AwsErrorKind } from "../aws-error";
import { within } from "../clients";

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

  readonly read = async <Name extends keyof PreflightFacts>(
    name: Name,
    read: () => Promise<PreflightFacts[Name] | undefined>,
  ): Promise<Pick<PreflightFacts, Name>> => {
    const result = await this.attempt(read);
    if ("why" in result) this.miss([name], result.why);
    const isKnown = "value" in result && result.value !== undefined;
    return (isKnown ? { [name]: result.value } : {}) as Pick<PreflightFacts, Name>;
  };

  /** Keeps why facts are missing. */
  miss(names: readonly (keyof PreflightFacts)[], why: string): void {
    for (const name of names) this.unread[name] = why;
  }

  /** @throws AwsError when no other request can work */
  async attempt<T>(read: () => Promise<T>): Promise<{ readonly value: T } | { readonly why: string }> {
    const { fatal, seconds } = this.options;
    try {
      return { value: await (seconds === undefined ? read() : within(seconds, "the account", read())) };
    } catch (error) {
      if (error instanceof AwsError && fatal.includes(error.kind)) throw error;
      return { why: whyUnread(error) };
    }
  }
}

/** Why AWS did not answer. Throws what is no error of AWS. */
export function whyUnread(error: unknown): string {
  if (!(error instanceof AwsError)) throw error;
  return error.kind === "denied" ? `The permission ${error.action} is missing.` : error.why;
}
