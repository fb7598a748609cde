import { expect, test } from "vitest";
import { indexOf } from "../../../planner/facts/resource-index";
import { componentTree, treeCounts } from "../../../planner/report/tree";
import { recordingOf, type ResourceSpec } from "../recordings";

function component(type: string, name: string, parent?: string): ResourceSpec {
  return { type: `lab:index:${type}`, name, component: true, ...(parent !== undefined && { parent }) };
}

function custom(type: string, name: string, parent?: string): ResourceSpec {
  return { type, name, ...(parent !== undefined && { parent }) };
}

function rows(specs: readonly ResourceSpec[], most?: number): string[] {
  return componentTree(indexOf(recordingOf(specs)), most).map(({ depth, label, count, summary }) =>
    `${"  ".repeat(depth)}${label} ${count} ${summary}`.trimEnd(),
  );
}

const vpc = "aws:ec2/vpc:Vpc";
const subnet = "aws:ec2/subnet:Subnet";

test("components are in alphabetical order, and their resources are counted by type, most frequent first", () => {
  expect(
    rows([
      component("Environment", "lab"),
      component("Vpc", "lab-net", "lab"),
      custom(vpc, "v", "lab-net"),
      custom(subnet, "s1", "lab-net"),
      custom(subnet, "s2", "lab-net"),
      component("Cluster", "lab-cluster", "lab"),
      { type: "eks:index:Cluster", name: "eks", remote: true, parent: "lab-cluster" },
      custom("pulumi:providers:kubernetes", "k8s", "lab-cluster"),
      custom("aws:iam/role:Role", "own", "lab"),
    ]),
  ).toEqual(["Environment lab 6 Role", "  Cluster 2 eks Cluster, kubernetes provider", "  Vpc net 3 2 Subnet, Vpc"]);
});

test("resources below other resources are counted with the component around them", () => {
  const specs = [component("Vpc", "net"), custom(vpc, "v", "net"), custom(subnet, "s", "v")];
  expect(rows(specs)).toEqual(["Vpc net 2 Subnet, Vpc"]);
});

test("resources that are not in a component have a line of their own", () => {
  expect(rows([custom(vpc, "v"), custom(subnet, "s", "v")])).toEqual(["not in a component 2 Subnet, Vpc"]);
});

test("a component that holds nothing but another one takes one line", () => {
  const specs = [component("Environment", "lab"), component("Dns", "dns", "lab"), component("Identity", "id", "dns")];
  expect(rows([...specs, custom("aws:iam/role:Role", "role", "id")])).toEqual(["Environment lab 1", "  Dns 1 Role"]);
});

test("more than three siblings of a type become one line", () => {
  const many = ["a", "b", "c", "d"].flatMap((name) => [
    component("Nodes", name, "lab"),
    custom("aws:iam/role:Role", `role-${name}`, name),
  ]);
  expect(rows([component("Environment", "lab"), ...many])).toEqual(["Environment lab 4", "  4 x Nodes 4 4 Role"]);
});

test("a deep tree is cut where it fits, and nothing is lost from the counts", () => {
  const deep = Array.from({ length: 3 }, (_, index) => [
    component("Level", `a${index}`, "lab"),
    component("Inner", `b${index}`, `a${index}`),
    component("Innermost", `c${index}`, `a${index}`),
    custom(subnet, `s${index}`, `b${index}`),
    custom(vpc, `v${index}`, `c${index}`),
  ]).flat();
  const specs = [component("Environment", "lab"), ...deep];
  expect(rows(specs)).toHaveLength(10);
  expect(rows(specs, 4)).toEqual([
    "Environment lab 6",
    "  Level a0 2 Subnet, Vpc",
    "  Level a1 2 Subnet, Vpc",
    "  Level a2 2 Subnet, Vpc",
  ]);
  expect(rows(specs, 1)).toEqual(["Environment lab 6 3 Subnet, 3 Vpc"]);
});

test("a wide tree ends with the number of lines that are missing", () => {
  const wide = ["a", "b", "c"].flatMap((name) => [component("Box", name), custom(subnet, `s${name}`, name)]);
  expect(rows(wide, 2)).toEqual(["Box a 1 Subnet", "2 more 2"]);
});

test("counts tell resources, components and the stack apart; a remote component is a resource", () => {
  const specs: ResourceSpec[] = [
    component("Environment", "lab"),
    { type: "eks:index:Cluster", name: "eks", remote: true, parent: "lab" },
    custom(vpc, "v", "lab"),
  ];
  expect(treeCounts(indexOf(recordingOf(specs)))).toEqual({ total: 4, resources: 2, components: 1 });
});
