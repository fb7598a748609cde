import { describe, expect, test } from "vitest";
import { cpuMsOf } from "../../support/cpu-time";
import { checksForAbsence, checksForZero, countsGpus, mayMatch } from "../../../policies/facts/alerts";

test.for([
  ['absent(kube_node_status_allocatable{resource="nvidia_com_gpu"})', true],
  ['absent_over_time(kube_node_status_allocatable{resource="nvidia_com_gpu"}[5m])', true],
  ['absent ( sum(\n kube_node_status_capacity{resource="nvidia_com_gpu"}))', true],
  ['up == 1 unless absent(sum(a) or kube_node_status_allocatable{resource="nvidia_com_gpu"})', true],
  ['absent(up) and kube_node_status_allocatable{resource="nvidia_com_gpu"} > 0', false],
  ['(absent(up)) + sum(kube_node_status_allocatable{resource="nvidia_com_gpu"})', false],
  ['is_absent(kube_node_status_allocatable{resource="nvidia_com_gpu"})', false],
  ['# absent(kube_node_status_allocatable{resource="nvidia_com_gpu"})\nup', false],
  ["absent(up)", false],
  ['absent(kube_node_status_allocatable{resource=~"nvidia.*"})', true],
  ["absent(kube_node_status_allocatable{resource =~ 'nvidia_com_(gpu|mig.*)'} > 0)", true],
  ["absent(kube_node_status_allocatable{resource=~`.*gpu`})", true],
  ['absent(kube_node_status_allocatable{resource=~".+"})', true],
  ['absent(kube_node_status_allocatable{resource=~"cpu|memory"})', false],
  ['absent(kube_node_status_allocatable{node=~"nvidia.*"})', false],
  ['absent(up{job=")"}) and kube_node_status_allocatable{resource="nvidia_com_gpu"}', false],
  ['absent(up{job="("} == 0) and kube_node_status_allocatable{resource="nvidia_com_gpu"}', false],
  ['absent(up{job="a\\"#("} or kube_node_status_allocatable{resource="nvidia_com_gpu"})', true],
  ["absent(up) # and nvidia_com_gpu (\n", false],
  ['absent(up # (\n) and kube_node_status_allocatable{resource="nvidia_com_gpu"}', false],
  [")))absent(", false],
  ["", false],
] as const)("%j asks for absence: %j", ([expression, expected]) => {
  expect(checksForAbsence(expression)).toBe(expected);
});

test.for([
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} == 0', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"}==0 and on(node) kube_node_labels == 1', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} <= 0', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} < 1', true],
  ...["==0", "==  0", "==bool 0", "<=0", "<= bool 0", "<=bool 0", "<1", "<bool 1", "< bool 1", "<\t1", "==\n0"].map(
    (comparison) => [`kube_node_status_allocatable{resource="nvidia_com_gpu"} ${comparison}`, true] as const,
  ),
  ...["!= 0", "> 0", "== 0.5", "== 05", "<= 1", "< 0", "<= 01", "# == 0"].map(
    (comparison) => [`kube_node_status_allocatable{resource="nvidia_com_gpu"} ${comparison}`, false] as const,
  ),
  ['kube_node_status_allocatable{resource=~"nvidia.*"} == 0', true],
  ['kube_node_status_allocatable{resource=~"nvidia_com_(gpu|mig.*)"} == 0', true],
  ['kube_node_status_allocatable{resource=~".*"} == 0', true],
  ['kube_node_status_allocatable{resource=~"cpu|memory"} == 0', false],
  ['kube_node_status_allocatable{resource=~"x.*"} == 0', false],
  ['kube_node_status_allocatable{node="nvidia"} == 0', false],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu",alert="== 0"}', false],
  ['(kube_node_status_allocatable{resource="nvidia_com_gpu"} == bool 0) == 1', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} == 1', false],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} < 10', false],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} < 1.5', false],
  ['kube_node_status_allocatable{resource="cpu"} == 0', false],
  ['kube_node_status_capacity{resource="nvidia_com_gpu"} == 0', false],
  ["", false],
] as const)("%j asks for zero: %j", ([expression, expected]) => {
  expect(checksForZero(expression)).toBe(expected);
});

describe("a name that a recording rule gives the number", () => {
  const recorded = new Set(["node:gpus", "gpus"]);
  test.for([
    ["node:gpus == 0", true, false],
    ["sum(gpus) by (node) < 1", true, false],
    ["absent(node:gpus)", false, true],
    ["absent(up) or gpus == 0", true, false],
    ["node:gpus:rate == 0", false, false],
    ["all_gpus == 0", false, false],
    ['up{job="gpus"} == 0', false, false],
    ["gpus > 0", false, false],
  ] as const)("%s", ([expression, zero, absence]) => {
    expect([checksForZero(expression, recorded), checksForAbsence(expression, recorded)]).toEqual([zero, absence]);
    expect([checksForZero(expression), checksForAbsence(expression)]).toEqual([false, false]);
    expect(mayMatch(expression)).toBe(zero || absence || /== ?0/.test(expression));
  });

  test.for([
    ['kube_node_status_allocatable{resource="nvidia_com_gpu"}', true],
    ['sum(kube_node_status_allocatable{resource=~"nvidia.*"})', true],
    ["max(gpus)", true],
    ['kube_node_status_allocatable{resource="cpu"}', false],
    ['kube_node_status_capacity{resource="nvidia_com_gpu"}', false],
  ] as const)("%s is given one: %j", ([expression, expected]) => {
    expect(countsGpus(expression, recorded)).toBe(expected);
  });
});

test("a long expression takes no time", () => {
  const long = `absent(${" ".repeat(1e5)}${"absent(".repeat(1e4)}nvidia_com_gp`;
  expect(checksForAbsence(long)).toBe(false);
  expect(checksForZero(long)).toBe(false);
  const quotes = `absent("${'\\"'.repeat(1e5)}`;
  const check = () => expect(checksForAbsence(quotes, new Set(["a"]))).toBe(false);
  expect(cpuMsOf(check)).toBeLessThan(1000);
});
