import { Reader } from "../../../components/core/reader/reader";
import type { Doubt } from "../../conclusions/entry";

/** The termination message of a test of collective operations: one line of JSON. */
interface TestReport {
  readonly result: string;
  /** The last stage that was reached: rendezvous, nccl-init, all-reduce, done. */
  readonly stage: string;
  readonly reason?: string;
  readonly transport?: string;
}

const maxLength = 300;

/** The report in a termination message; undefined if there is none. */
export function testReport(message: string): TestReport | undefined {
  for (const line of message.split("\n").reverse()) {
    const report = line.trim().startsWith("{") ? new Reader(line).json().value : undefined;
    const [result, stage, reason, transport] = ["result", "stage", "reason", "transport"].map((key) =>
      report?.text([key]).value?.slice(0, maxLength),
    );
    if (result === undefined || stage === undefined) continue;
    return { result, stage, ...(reason !== undefined && { reason }), ...(transport !== undefined && { transport }) };
  }
  return undefined;
}

/** What the reports of a Job's pods say about the network between them. */
interface Verdict {
  readonly what: string;
  /** Whether closed ports explain the failure. */
  readonly isNetwork: boolean;
  readonly atMost: Doubt;
}

type Row = readonly [stage: string, reason: RegExp, verdict: Verdict];

const network = (atMost: Doubt, what: string): Verdict => ({ what, isNetwork: true, atMost });
const other = (atMost: Doubt, what: string): Verdict => ({ what, isNetwork: false, atMost });

/** Part of the reason in the report of a pod whose connection was refused. */
export const noListener = "no process listens on the port";

/** The most specific verdict first: a pod may report only that another pod did not connect. */
const verdicts: readonly Row[] = [
  [
    "rendezvous",
    /no answer/i,
    network(
      "likely",
      "A pod got no response from another pod: a security group or a network policy drops the traffic. Nodes, API and DNS do not use these ports, so they still work.",
    ),
  ],
  [
    "nccl-init",
    /./,
    network("likely", "The pods reached each other, but NCCL could not connect: the ports that NCCL uses are closed."),
  ],
  ["all-reduce", /./, network("possible", "The connection between the pods broke during the data transfer.")],
  [
    "rendezvous",
    /name is not known/i,
    other("possible", "A pod could not resolve the name of another pod: DNS failed, or that pod had not started."),
  ],
  [
    "rendezvous",
    new RegExp(noListener, "i"),
    other("likely", "A pod responded, but no process listened on the port: rank 0 had not started or had ended."),
  ],
  [
    "rendezvous",
    /./,
    network("possible", "Not every pod reached the rendezvous. A pod did not start, or the network blocks it."),
  ],
  [
    "done",
    /./,
    other(
      "likely",
      "The test ran, but NCCL used a different transport than expected. Check the EFA device, its plugin and its security group rules.",
    ),
  ],
];

/** The verdict on the failed reports; undefined if none of them mentions the network. */
export function verdictOf(reports: readonly TestReport[]): Verdict | undefined {
  const failed = reports.filter(({ result }) => result !== "passed");
  return verdicts.find(([stage, pattern]) =>
    failed.some((report) => report.stage === stage && pattern.test(report.reason ?? "no reason")),
  )?.[2];
}
