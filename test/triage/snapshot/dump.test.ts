import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError, type Problem, type ProblemCode } from "../../../components/core/problems";
import { mergeDumps, writeDump } from "../../../triage/snapshot/dump";
import { readDump } from "../../../triage/snapshot/read-dump";
import { resourceNames, resources } from "../../../triage/snapshot/objects/resources";
import { ObjectReader } from "../../../triage/snapshot/objects/object-reader";
import { renderJson } from "../../../triage/report/json";
import { renderText } from "../../../triage/report/text";
import { triage } from "../../../triage/triage";
import * as clusters from "../support/clusters";
import { dumpOf, ids } from "../support/clusters";
import { ago, node, pod, secret } from "../support/objects";

const accidents = ["healthy", "pluginOff", "rollout", "brokenGpu", "dcgmAlarm", "atRest"] as const;

function errorOf(file: unknown): InputError | undefined {
  try {
    readDump(typeof file === "string" ? file : JSON.stringify(file), "dump.json");
    return undefined;
  } catch (error) {
    if (!InputError.is(error)) throw error;
    return error;
  }
}

function problemsOf(file: unknown): readonly Problem[] {
  return errorOf(file)?.problems ?? [];
}

function messageOf(file: unknown): string {
  return errorOf(file)?.message ?? "";
}

describe("saved and read again", () => {
  test.for(accidents)("%s gives the same dump and the same report", (name) => {
    const dump = dumpOf(clusters[name], {
      context: "lab",
      journal: ["ttrpc timeout"],
      unread: [{ what: "events", where: "all namespaces", why: "no" }],
    });
    const again = readDump(writeDump(dump), "dump.json");
    expect(again).toEqual(dump);
    expect(renderJson(triage(again))).toBe(renderJson(triage(dump)));
    expect(renderText(triage(again), { colors: false, columns: 80 })).toBe(
      renderText(triage(dump), { colors: false, columns: 80 }),
    );
  });

  test("contains no secrets: no environment values, commands, annotations or volume contents", () => {
    const text = writeDump(dumpOf([...clusters.healthy, pod("p", {})]));
    expect(JSON.stringify(clusters.healthy)).toContain(secret);
    expect(text).not.toContain(secret);
    for (const key of ["managedFields", "command", "args", "configMap", "secretName", "images"])
      expect(text).not.toContain(`"${key}"`);
  });

  test("control characters are removed from messages", () => {
    const evil = { ...clusters.refusal, message: "0/1 nodes are available: 1 \u001b[2J\u001b]0;x\u0007Too many pods" };
    expect(dumpOf([evil]).objects.events[0]?.message).toBe("0/1 nodes are available: 1 [2J]0;xToo many pods");
  });
});

describe("the output of kubectl get -o json", () => {
  const list = { apiVersion: "v1", kind: "List", metadata: {}, items: clusters.pluginOff };

  test("gives the same conclusions as a saved dump, as of the newest time in it", () => {
    const dump = readDump(JSON.stringify(list), "kubectl.json");
    expect(ids(triage(dump)).causes).toEqual(["device-plugin-disabled"]);
    expect(dump.takenAt).toBe("2026-11-21T09:59:30.000Z");
  });

  test("ages are relative to the last heartbeat of a node if nothing is newer", () => {
    const heartbeat = (name: string, lastHeartbeatTime: string) => {
      const raw = node(name, { age: 120 * 86_400 });
      const ready = { type: "Ready", status: "True", lastTransitionTime: ago(100 * 86_400), lastHeartbeatTime };
      return { ...raw, status: { ...(raw["status"] as object), conditions: [ready] } };
    };
    const dump = readDump(
      JSON.stringify({ kind: "List", items: [heartbeat("a", ago(60)), heartbeat("b", ago(200))] }),
      "n",
    );
    expect(dump.takenAt).toBe("2026-11-21T09:59:00.000Z");
    expect(triage(dump).checks.find(({ layer }) => layer === "node")?.lines[0]).toBe("2 nodes, 0 with GPUs");
  });

  test("merges the files of several commands: a list of one kind and a single object", () => {
    const nodes = { kind: "NodeList", items: ["a", "b"].map((name) => ({ ...node(name), kind: undefined })) };
    const merged = mergeDumps([readDump(JSON.stringify(nodes), "n"), readDump(JSON.stringify(clusters.waiting), "p")]);
    expect(merged.objects.nodes.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect(merged.objects.pods).toHaveLength(1);
    expect(merged.read).toEqual(["pods", "nodes"]);
  });

  test("a resource without objects counts as not read, not as missing", () => {
    const dump = readDump(JSON.stringify({ kind: "List", items: [node("a")] }), "n");
    expect(dump.unread.map(({ what }) => what)).toEqual(["pods", "events", "daemonsets", "deployments"]);
  });

  test("a file without any time has no takenAt", () => {
    const bare = {
      kind: "Node",
      metadata: { name: "a" },
      status: { conditions: [{ type: "Ready", status: "Unknown" }] },
    };
    const dump = readDump(JSON.stringify({ kind: "List", items: [bare] }), "n");
    expect(dump).not.toHaveProperty("takenAt");
    expect(renderText(triage(dump), { colors: false, columns: 80 })).toMatch(
      /^Triage of the cluster, at an unknown time\n/,
    );
    expect(JSON.parse(renderJson(triage(dump)))).not.toHaveProperty("takenAt");
    expect(readDump(writeDump(dump), "again")).toEqual(dump);
    const known = dumpOf([]);
    expect(mergeDumps([known, dump]).takenAt).toBe(known.takenAt);
    expect(mergeDumps([dump, known]).takenAt).toBe(known.takenAt);
  });

  test("drops kinds that triage does not read", () => {
    const items = [{ kind: "Secret", metadata: { name: "s" }, data: { token: secret } }, node("a")];
    expect(writeDump(readDump(JSON.stringify({ kind: "List", items }), "n"))).not.toContain(secret);
  });
});

describe("a file that is not a dump", () => {
  const dump = { kind: "TriageDump", version: 1, items: [] };
  const list = (...items: unknown[]) => ({ kind: "List", items });
  const cases: readonly (readonly [name: string, file: unknown, code: ProblemCode, path: string])[] = [
    ["no JSON", "{", "wrong-type", "dump.json"],
    ["nothing", "", "wrong-type", "dump.json"],
    ["a string", '"x"', "wrong-type", "document"],
    ["a list", "[]", "wrong-type", "document"],
    ["a list of one object", JSON.stringify([dump]), "wrong-type", "document"],
    ["no items", {}, "missing", "items"],
    ["items of another type", { kind: "List", items: 5 }, "wrong-type", "items"],
    ["a newer version", { ...dump, version: 9 }, "version", "version"],
    ["no time", { ...dump, takenAt: "soon" }, "wrong-type", "takenAt"],
    ["an item without a kind", list({ metadata: {} }), "wrong-type", "items[0].kind"],
    ["an object without a name", list({ kind: "Pod" }), "wrong-type", "items[0].metadata.name"],
    ["a command", list({ kind: "Pod", metadata: { name: "$(reboot)" } }), "wrong-type", "items[0].metadata.name"],
    [
      "a field of another type",
      list({ kind: "Node", metadata: { name: "n" }, status: { conditions: [{ type: 5 }] } }),
      "wrong-type",
      "items[0].status.conditions[0].type",
    ],
    [
      "a map in place of a list",
      list({ kind: "Pod", metadata: { name: "p" }, spec: { containers: {} } }),
      "wrong-type",
      "items[0].spec.containers",
    ],
    [
      "a list of one object in place of the object",
      list({ kind: "Pod", metadata: [{ name: "p" }] }),
      "wrong-type",
      "items[0].metadata",
    ],
    [
      "a string in place of a number",
      list({ kind: "Pod", metadata: { name: "p" }, spec: { priority: "1" } }),
      "wrong-type",
      "items[0].spec.priority",
    ],
    [
      "a string in place of true or false",
      list({ kind: "Node", metadata: { name: "n" }, spec: { unschedulable: "true" } }),
      "wrong-type",
      "items[0].spec.unschedulable",
    ],
  ];

  test.for(cases)("%s", ([, file, code, path]) => {
    expect(problemsOf(file).map((problem) => [problem.code, problem.path])).toContainEqual([code, path]);
  });

  test("wording", () => {
    const messages = cases.map(([name, file]) => [`[${name}]`, messageOf(file)].join("\n"));
    // Node.js versions word the errors of JSON.parse differently.
    expect(
      messages.join("\n\n").replace(/got .*Must be JSON or YAML: .*/g, "got ... Must be JSON or YAML: ..."),
    ).toMatchSnapshot();
  });

  test("reports all problems at once, up to a limit", () => {
    const items = Array.from({ length: 100 }, () => ({ kind: "Pod", metadata: { name: 1 } }));
    expect(problemsOf({ kind: "List", items })).toHaveLength(20);
  });
});

describe("arbitrary files", () => {
  const kinds = resourceNames.map((name) => resources[name].kind);
  const keys = [
    "metadata",
    "spec",
    "status",
    "name",
    "labels",
    "conditions",
    "containers",
    "items",
    "type",
    "allocatable",
    "ownerReferences",
    "message",
  ];
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.constantFrom("x", "nvidia.com/gpu", "2026-11-21T10:00:00Z", "\u0000$(x)"),
      ),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 4 }),
    ),
  })).value;

  test("throws nothing but the list of problems", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("List", "TriageDump", "PodList", "x"),
        fc.array(json, { maxLength: 4 }),
        (kind, items) => {
          problemsOf({ kind, version: 1, takenAt: "2026-11-21T10:00:00Z", items });
        },
      ),
    );
  });

  test("reads arbitrary objects of a live cluster, with a stable result when read again", () => {
    const name = fc.record({
      kind: fc.constantFrom(...kinds),
      body: fc.dictionary(fc.constantFrom(...keys), json, { maxKeys: 6 }),
    });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (raws) => {
        const objects = raws.flatMap(({ kind, body }) =>
          resourceNames
            .filter((resource) => resources[resource].kind === kind)
            .map((resource) => [resource, resources[resource].read(ObjectReader.of(body))] as const),
        );
        for (const [resource, object] of objects)
          expect(resources[resource].read(ObjectReader.of(object))).toEqual(object);
        const of = (resource: string) => objects.filter(([one]) => one === resource).map(([, object]) => object);
        const all = Object.fromEntries(resourceNames.map((resource) => [resource, of(resource)]));
        const dump = { ...dumpOf([]), objects: all as unknown as ReturnType<typeof dumpOf>["objects"] };
        renderText(triage(dump), { colors: true, columns: 80 });
        renderJson(triage(dump));
      }),
    );
  });
});
