import { expect, test } from "vitest";
import type { Listing } from "../../leftovers/list";
import { runningNotes } from "../../leftovers/unknown";

/** The list of a stack without resources in its state, with one cluster. */
function listWith(detail: string, state: object | undefined = { isEmpty: true }): Listing {
  const steps = [{ cli: "eks delete-cluster --name myeks", action: "eks:DeleteCluster", run: () => Promise.resolve() }];
  const cluster = { kind: "cluster", id: "myeks", detail, tags: {}, steps };
  return { leftovers: [cluster], ...(state && { state }) } as unknown as Listing;
}

test.for(["1.35 ACTIVE", "1.35 UPDATING", "1.35 CREATING"])(
  "a cluster that is %s may be another person's",
  (detail) => {
    expect(runningNotes(listWith(detail))).toEqual([expect.stringContaining("--delete ends that lab")]);
  },
);

test.for(["1.35 DELETING", "1.35 FAILED"])("a cluster that is %s is not", (detail) => {
  expect(runningNotes(listWith(detail))).toEqual([]);
});

test("without a stack nothing is compared with a state", () => {
  expect(runningNotes({ leftovers: listWith("1.35 ACTIVE").leftovers } as unknown as Listing)).toEqual([]);
});
