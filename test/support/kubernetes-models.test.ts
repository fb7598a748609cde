import { expect, test } from "vitest";
import { kubernetes134, kubernetes136 } from "./kubernetes-models";
import { manifestProblems } from "./kubernetes-schema";

const models = { kubernetes134, kubernetes136 };

test.for(Object.entries(models))("%s has the types of a Job, to the last container", ([, model]) => {
  const types = ["", "spec", "template", "spec", "containers"].reduce<string[]>((seen, key) => {
    const at = seen.at(-1);
    if (at === undefined) return [model.rootOf("batch/v1", "Job")];
    const type = model.fieldsOf(at)?.get(key)?.type ?? { name: "none" };
    const inner = "list" in type ? type.list : type;
    return [...seen, "name" in inner ? inner.name : "none"];
  }, []);
  expect(types.map((name) => /(\w+)$/.exec(name)?.[1]?.replace(/^V1/, ""))).toEqual([
    "Job",
    "JobSpec",
    "PodTemplateSpec",
    "PodSpec",
    "Container",
  ]);
  expect(model.fieldsOf(types.at(-1) ?? "")?.get("name")).toEqual({ type: { name: "string" }, required: true });
  expect(model.fieldsOf(model.rootOf("v1", "ConfigMap"))?.get("data")).toMatchObject({
    type: { map: { name: "string" } },
  });
});

test("what only the later release has is refused, as is what neither has", () => {
  const pod = (spec: object) => ({
    apiVersion: "v1",
    kind: "Pod",
    spec: { containers: [{ name: "a", image: "a" }], ...spec },
  });
  const later = "schedulingGroup";
  expect(kubernetes136.fieldsOf("core.v1.PodSpec")?.has(later)).toBe(true);
  expect(manifestProblems(pod({ [later]: {} }))).toEqual([`spec.${later}: there is no such key`]);
  expect(manifestProblems({ apiVersion: "example.com/v1", kind: "Pod" })).toContain(
    "kind: Kubernetes has no example.com/v1 Pod",
  );
});
