import { expect, test } from "vitest";
import { asksForAbsence, asksForZero } from "../../../../policies/rules/alerts/promql";

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
  [")))absent(", false],
  ["", false],
] as const)("%j asks for absence: %j", ([expression, expected]) => {
  expect(asksForAbsence(expression)).toBe(expected);
});

test.for([
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} == 0', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"}==0 and on(node) kube_node_labels == 1', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} <= 0', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} < 1', true],
  ['(kube_node_status_allocatable{resource="nvidia_com_gpu"} == bool 0) == 1', true],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} == 1', false],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} < 10', false],
  ['kube_node_status_allocatable{resource="nvidia_com_gpu"} < 1.5', false],
  ['kube_node_status_allocatable{resource="cpu"} == 0', false],
  ['kube_node_status_capacity{resource="nvidia_com_gpu"} == 0', false],
  ["", false],
] as const)("%j asks for zero: %j", ([expression, expected]) => {
  expect(asksForZero(expression)).toBe(expected);
});

test("a long expression takes no time", () => {
  const long = `absent(${" ".repeat(1e5)}${"absent(".repeat(1e4)}nvidia_com_gp`;
  expect(asksForAbsence(long)).toBe(false);
  expect(asksForZero(long)).toBe(false);
});
