import { describe, expect, test } from "vitest";
import { pictureOf } from "../../../planner/draw/picture";
import { mermaidOf } from "../../../planner/draw/mermaid";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { recordingOf, type ResourceSpec } from "../recordings";
import * as programs from "./programs";

const drawn = (specs: ResourceSpec[]): string => mermaidOf(pictureOf(recordingOf(specs), "eu-west-1"));

const id = "[a-z][a-z0-9_]*";
const text = '"[^"<>&]*(?:<br/>[^"<>&]*)*"';
/** Every line this project may write, as https://mermaid.js.org/syntax/flowchart.html has it. */
const statements = [
  /^%%\{init: \{.*\}\}%%$/,
  /^flowchart TB$/,
  /^direction LR$/,
  /^end$/,
  new RegExp(`^${id}\\[${text}\\]:::${id}$`),
  new RegExp(`^subgraph ${id}\\[${text}\\]$`),
  new RegExp(`^${id} (<-->|---|-->|~~~) ${id}$`),
  new RegExp(`^${id} (<-- ${text} -->|x-\\. ${text} \\.-x|-- ${text} -->) ${id}$`),
  new RegExp(`^class ${id} ${id}$`),
  /^classDef [a-z]+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}(,stroke-dasharray:5 3)?$/,
  /^linkStyle \d+ stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}$/,
];

/** Syntax as far as this project uses it: known statements, closed subgraphs, lines and classes of things that exist. */
function syntaxErrors(chart: string): string[] {
  const lines = chart
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
  const unknown = lines.filter((line) => !statements.some((statement) => statement.test(line)));
  const defined = new Set(lines.flatMap((line) => new RegExp(`^(?:subgraph )?(${id})\\[`).exec(line)?.[1] ?? []));
  const classes = new Set(lines.flatMap((line) => /^classDef ([a-z]+)/.exec(line)?.[1] ?? []));
  const edges = lines.filter((line) => / (<?--|---|-->|~~~|x-\.)/.test(line) && !line.includes('["'));
  const ends = edges.flatMap((line) => [line.split(" ")[0], line.split(" ").at(-1)]);
  const styles = lines.flatMap(
    (line) => /:::([a-z]+)$|^class \S+ ([a-z]+)$/.exec(line)?.slice(1).filter(Boolean) ?? [],
  );
  const links = lines.flatMap((line) => /^linkStyle (\d+)/.exec(line)?.[1] ?? []).map(Number);
  const opened = lines.filter((line) => line.startsWith("subgraph ")).length;
  return [
    ...unknown.map((line) => `not a statement: ${line}`),
    ...ends.filter((end) => !defined.has(end ?? "")).map((end) => `no such node: ${end}`),
    ...styles.filter((style) => !classes.has(style ?? "")).map((style) => `no such class: ${style}`),
    ...links.filter((link) => link >= edges.length).map((link) => `no such line: ${link}`),
    ...(opened === lines.filter((line) => line === "end").length ? [] : ["a subgraph is not closed"]),
  ];
}

test("the check of the syntax sees what is wrong", () => {
  expect(
    syntaxErrors(
      'flowchart TB\n  a["x"]:::b\n  a --> c\n  subgraph s["</b>"]\n  linkStyle 7 stroke:#000000,color:#000000',
    ),
  ).toEqual([
    'not a statement: subgraph s["</b>"]',
    "no such node: c",
    "no such class: b",
    "no such line: 7",
    "a subgraph is not closed",
  ]);
});

test.for(Object.entries(programs))("%s is drawn in correct syntax", ([, specs]) => {
  expect(syntaxErrors(drawn(specs))).toEqual([]);
});

describe("the lab", () => {
  test("has its zones, subnets, groups and paths, in correct syntax and the same each time", async () => {
    const recording = await plan(() => labProgram({ operator: true }));
    const chart = mermaidOf(pictureOf(recording, "ap-northeast-2"));
    expect(syntaxErrors(chart)).toEqual([]);
    for (const part of [
      'subgraph net0["VPC myeks-VPC 192.168.0.0/16"]',
      'subgraph net0_0["ap-northeast-2a"]',
      'subgraph net0_0_1["private 192.168.12.0/22"]',
      'net0_1_0["public 192.168.4.0/22"]:::public',
      'subgraph gpu_group1_0_0["myeks-ng-gpu, g5.xlarge, 1 x NVIDIA A10G, desired 0, min 0, max 2"]',
      'group1_0_0["GPU node 1"]:::stopped',
      'group0_0_0["myeks-ng-1<br/>t3.medium<br/>desired 2, min 1, max 4 in total"]:::plain',
      "internet <--> net0_gateway",
      "net0_0_0_nat0 --- net0_2_1",
      'control0 -- "tcp 443, 4443, 6443, 8082, 8443, 9443, 10250, 10251" --> gpu_group1_0_0',
      'group1_0_0 <-- "NCCL: tcp 1025-65535" --> group1_0_1',
      'group0_0_0 <-- "VPC-wide: all ports from 192.168.0.0/16" --> gpu_group1_0_0',
      "GPU Operator: v26.3.1",
    ]) {
      expect(chart).toContain(part);
    }
    expect(mermaidOf(pictureOf(recording, "ap-northeast-2"))).toBe(chart);
  });

  test("shows blocked NCCL as a red, dashed line, and no open one", async () => {
    const chart = mermaidOf(pictureOf(await plan(() => labProgram({ nccl: "blocked" })), "ap-northeast-2"));
    expect(syntaxErrors(chart)).toEqual([]);
    expect(chart).toContain('group1_0_0 x-. "NCCL blocked: no rule allows tcp 32768-60999" .-x group1_0_1');
    expect(chart).toMatch(/linkStyle \d+ stroke:#cf222e/);
    expect(chart).not.toMatch(/"NCCL: |VPC-wide/);
  });
});

test("a class comes after all lines, which would take it away again", () => {
  const lines = drawn(programs.twoZones).split("\n");
  const lastEdge = lines.findLastIndex((line) => / (-->|---|~~~) /.test(line));
  expect(lines.findIndex((line) => line.startsWith("  class "))).toBeGreaterThan(lastEdge);
});

test("names that are syntax elsewhere are only text here", () => {
  const chart = drawn(programs.hostileNames);
  expect(chart).toContain('"VPC #34;#93;; end #60;b#62;#38;amp; #37;#37; #35;quot; #34; 10.0.0.0/16"');
});

test("a program without network and cluster has a note instead of a diagram", () => {
  expect(drawn(programs.bucketOnly)).toContain("This program creates no VPC, no cluster and no node group.");
});
