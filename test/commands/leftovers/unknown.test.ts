import { expect, test } from "vitest";
import { isRunning } from "../../../commands/leftovers/found";
import type { Listing } from "../../../commands/leftovers/leftover";
import { runningNotes } from "../../../commands/leftovers/commands";

/** The list of a stack without resources in its state, with one cluster. */
function listWith(status: string, state: object | undefined = { isEmpty: true }): Listing {
  const steps = [{ cli: "eks delete-cluster --name myeks", action: "eks:DeleteCluster", run: () => Promise.resolve() }];
  const cluster = { kind: "cluster", id: "myeks", isRunning: isRunning(status), tags: {}, steps };
  return { leftovers: [cluster], ...(state && { state }) } as unknown as Listing;
}

test.for(["ACTIVE", "UPDATING", "CREATING"])("a cluster that is %s is ended by --delete", (status) => {
  expect(runningNotes(listWith(status))).toEqual([
    expect.stringContaining("--delete removes it and everything that runs in it"),
  ]);
});

test.for(["DELETING", "FAILED"])("a cluster that is %s is not", (status) => {
  expect(runningNotes(listWith(status))).toEqual([]);
});

test("so is one that is named by its id, without a state", () => {
  expect(runningNotes({ leftovers: listWith("ACTIVE").leftovers } as unknown as Listing)).toHaveLength(1);
});
