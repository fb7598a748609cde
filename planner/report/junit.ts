import type { Review, StackReview } from "../review/review";
import { pageLines } from "../../policies/engine/pack";
import { groupedFindings, type FindingGroup } from "./findings";

/**
 * The verdicts of the head as JUnit XML: a suite for each stack, also a removed one, with a test for its plan and one for each
 * finding. Mandatory failures are failures, unknown verdicts are skipped, and advisory findings pass with their text.
 *
 * @see https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
 */
export function renderJunit({ stacks, unjudged = [], error }: Review): string {
  const suites = [
    ...(error === undefined ? [] : [suite("project", [planCase("project", error)])]),
    ...stacks.map(stackSuite),
    ...unjudged.map((stack) => suite(stack, [planCase(stack)])),
  ];
  return ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", ...suites.flat(), "</testsuites>", ""].join("\n");
}

type Result = "passed" | "failure" | "error" | "skipped";

interface Case {
  readonly xml: string;
  readonly result: Result;
}

function stackSuite({ stack, error, findings }: StackReview): string[] {
  return suite(stack, [planCase(stack, error), ...groupedFindings(findings).map((group) => findingCase(stack, group))]);
}

function suite(name: string, cases: readonly Case[]): string[] {
  const count = (wanted: Result) => cases.filter(({ result }) => result === wanted).length;
  const counts = { tests: cases.length, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
  const attributes = Object.entries(counts).map(([key, value]) => ` ${key}="${value}"`);
  return [
    `  <testsuite name="${escaped(name)}"${attributes.join("")}>`,
    ...cases.map(({ xml }) => `    ${xml}`),
    "  </testsuite>",
  ];
}

function planCase(stack: string, error?: string): Case {
  const inside = error === undefined ? "" : element("error", "cannot be planned", error);
  return { xml: testCase(stack, "plan", inside), result: error === undefined ? "passed" : "error" };
}

function findingCase(stack: string, group: FindingGroup): Case {
  const { kind, rule, names, message } = group;
  const [first = ""] = message.split("\n");
  const text = [names.join(", "), message, ...pageLines(group)].join("\n");
  const name = `${rule}: ${names.join(", ")}`;
  switch (kind) {
    case "fail":
      return { xml: testCase(stack, name, element("failure", first, text)), result: "failure" };
    case "unknown":
      return { xml: testCase(stack, name, `<skipped message="${escaped(message)}"/>`), result: "skipped" };
    case "advisory":
      return { xml: testCase(stack, name, `<system-out>${escaped(text)}</system-out>`), result: "passed" };
  }
}

function testCase(stack: string, name: string, inside: string): string {
  return `<testcase classname="${escaped(stack)}" name="${escaped(name)}">${inside}</testcase>`;
}

function element(name: "failure" | "error", message: string, text: string): string {
  return `<${name} message="${escaped(message)}">${escaped(text)}</${name}>`;
}

/** XML cannot contain most control characters, not even escaped. @see https://www.w3.org/TR/xml/#charsets */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
