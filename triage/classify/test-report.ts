import { isRecord } from "../../components/core/reader/records";

/** What a test of collective operations leaves behind as its termination message: one line of JSON. */
export interface TestReport {
  readonly result: string;
  /** How far it came: rendezvous, nccl-init, all-reduce, done. */
  readonly stage: string;
  readonly reason?: string;
  readonly transport?: string;
}

const longestText = 300;

/** The report among the lines of a termination message; undefined for a program that leaves none. */
export function testReport(message: string): TestReport | undefined {
  for (const line of message.split("\n").reverse()) {
    const { result, stage, reason, transport } = parsed(line);
    if (result === undefined || stage === undefined) continue;
    return { result, stage, ...(reason !== undefined && { reason }), ...(transport !== undefined && { transport }) };
  }
  return undefined;
}

function parsed(line: string): Readonly<Partial<Record<string, string>>> {
  try {
    const value: unknown = line.trim().startsWith("{") ? JSON.parse(line) : undefined;
    const texts = isRecord(value) ? Object.entries(value).filter(([, one]) => typeof one === "string") : [];
    return Object.fromEntries(texts.map(([key, text]) => [key, String(text).slice(0, longestText)]));
  } catch {
    return {};
  }
}

/** What a report says about the way between the pods. */
export interface Verdict {
  readonly what: string;
  /** Whether closed ports explain it. */
  readonly network: boolean;
  readonly sure: "likely" | "possible";
}

type Row = readonly [stage: string, reason: RegExp, verdict: Verdict];

/** The most telling first: of two pods only one may know more than that the other did not come. */
const verdicts: readonly Row[] = [
  [
    "rendezvous",
    /no answer/i,
    {
      what: "A pod got no answer at all from another one: a security group or a network policy drops what is sent there. Nodes, API and DNS do not need those ports.",
      network: true,
      sure: "likely",
    },
  ],
  [
    "nccl-init",
    /./,
    {
      what: "The pods met, and NCCL could not connect them: it listens on ports of its own, and those are closed.",
      network: true,
      sure: "likely",
    },
  ],
  [
    "all-reduce",
    /./,
    { what: "The way between the pods broke while data went over it.", network: true, sure: "possible" },
  ],
  [
    "rendezvous",
    /name is not known/i,
    {
      what: "A pod did not find another one's name: DNS, or a pod that had not started.",
      network: false,
      sure: "possible",
    },
  ],
  [
    "rendezvous",
    /nobody listens/i,
    {
      what: "A pod answered, and nobody listened in it: rank 0 had not begun, or had ended.",
      network: false,
      sure: "likely",
    },
  ],
  [
    "rendezvous",
    /./,
    { what: "Not every pod came to the rendezvous, or the way to it is closed.", network: true, sure: "possible" },
  ],
  [
    "done",
    /./,
    {
      what: "The test ran, and NCCL took another transport than was expected: see to the EFA device, its plugin and its security-group rules.",
      network: false,
      sure: "likely",
    },
  ],
];

/** What several pods' reports come to; undefined where none of them says anything of the way. */
export function verdictOf(reports: readonly TestReport[]): Verdict | undefined {
  const failed = reports.filter(({ result }) => result !== "passed");
  return verdicts.find(([stage, pattern]) =>
    failed.some((report) => report.stage === stage && pattern.test(report.reason ?? "no reason")),
  )?.[2];
}
