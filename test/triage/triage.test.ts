import { expect, test } from "vitest";
import * as clusters from "./support/clusters";
import { ids, reportOn } from "./support/clusters";

test("a healthy cluster: nothing found", () => {
  expect(ids(reportOn(clusters.healthy))).toEqual({ causes: [], consequences: [], notices: [] });
});
