import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { userAgent } from "../../../components/core/kubernetes-api/api";
import { ownersAsBefore } from "../../../commands/drill/live/requests";

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fields: readonly string[];
}

const names = ["a", "b", "c", "d"];
const owners = fc.uniqueArray(
  fc.record({
    manager: fc.constantFrom("kubectl-edit", "pulumi-kubernetes-1", "helm", "kube-controller-manager", userAgent),
    operation: fc.constantFrom("Apply", "Update"),
    fields: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
  }),
  { selector: ({ manager, operation }) => `${manager}/${operation}` },
);

const fieldsV1 = (fields: readonly string[]) => ({
  "f:metadata": { "f:annotations": Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) },
});
const nodeWith = (list: readonly Owner[]) => ({
  metadata: { managedFields: list.map(({ fields, ...rest }) => ({ ...rest, fieldsV1: fieldsV1(fields) })) },
});

/** What the API server makes of a write: the writer owns the fields, and the others lose them. */
function written(list: readonly Owner[], writer: string, fields: readonly string[]): Owner[] {
  const isWriter = ({ manager, operation }: Owner) => manager === writer && operation === "Update";
  const rest = list.map((owner) =>
    isWriter(owner) ? owner : { ...owner, fields: owner.fields.filter((name) => !fields.includes(name)) },
  );
  const own = list.find(isWriter);
  const all = [...new Set([...(own?.fields ?? []), ...fields])];
  return [...rest.filter((owner) => owner !== own && owner.fields.length > 0), { ...blank(writer), fields: all }];
}

const blank = (manager: string) => ({ manager, operation: "Update" });
const isDrill = ({ manager }: { readonly manager?: unknown }) => manager === userAgent;

describe("the owners that a drill writes back", () => {
  const write = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 });

  test("are those before its write, with what another writer got meanwhile; the drill owns nothing", () => {
    fc.assert(
      fc.property(owners, write, fc.option(write), (before, fields, others) => {
        const after = written(before, userAgent, fields);
        const now = others === null ? after : written(after, "kubelet", others);
        const returned = ownersAsBefore(nodeWith(before), nodeWith(now));
        // The other writer has overwritten all of it.
        if (!now.some(isDrill)) return void expect(returned).toBeUndefined();
        expect(returned?.filter(isDrill)).toEqual([]);
        for (const owner of [...before, ...now].filter((one) => !isDrill(one))) {
          const same = returned?.filter(
            (one) => one["manager"] === owner.manager && one["operation"] === owner.operation,
          );
          expect(same).toMatchObject([{ fieldsV1: fieldsV1(owner.fields) }]);
        }
      }),
    );
  });

  test("are exactly those before, if nobody else writes", () => {
    fc.assert(
      fc.property(owners, write, (before, fields) => {
        const others = before.filter((one) => !isDrill(one));
        const after = nodeWith(written(before, userAgent, fields));
        const key = ({ manager, operation }: Readonly<Record<string, unknown>>) =>
          `${String(manager)}/${String(operation)}`;
        const sorted = (list: readonly Readonly<Record<string, unknown>>[]) =>
          [...list].sort((one, other) => (key(one) < key(other) ? -1 : 1));
        expect(sorted(ownersAsBefore(nodeWith(before), after) ?? [])).toEqual(
          sorted(nodeWith(others).metadata.managedFields),
        );
      }),
    );
  });

  test.each([
    ["no managed fields", { metadata: {} }],
    ["no node", undefined],
    ["no field of the drill", nodeWith([{ ...blank("kubelet"), fields: ["a"] }])],
    ["managed fields of another form", { metadata: { managedFields: "none" } }],
  ])("are not written with %s", (_, node) => {
    expect(ownersAsBefore(nodeWith([]), node)).toBeUndefined();
  });
});
