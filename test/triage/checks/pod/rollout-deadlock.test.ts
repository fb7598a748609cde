import { expect, test } from "vitest";
import { rolloutOf } from "../../../../triage/checks/pod/rollout-deadlock";
import { readDeployment } from "../../../../triage/snapshot/objects/workloads";
import { ObjectReader } from "../../../../triage/snapshot/objects/object-reader";
import { deployment } from "../../support/objects";

function resolved(replicas: number, strategy?: object) {
  const raw = deployment("d", { spec: { replicas, ...(strategy && { strategy }) } });
  const { type, maxSurge, maxUnavailable } = rolloutOf(readDeployment(ObjectReader.of(raw)));
  return [type, maxSurge, maxUnavailable];
}

const rolling = (maxSurge: unknown, maxUnavailable: unknown) => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable },
});

test.for([
  ["nothing written: 25 % and 25 %", 1, undefined, ["RollingUpdate", 1, 0]],
  ["25 % of 4", 4, rolling("25%", "25%"), ["RollingUpdate", 1, 1]],
  ["25 % of 3: surge up, unavailable down", 3, rolling("25%", "25%"), ["RollingUpdate", 1, 0]],
  ["numbers", 1, rolling(0, 1), ["RollingUpdate", 0, 1]],
  ["both 0 is no rollout: one may be missing", 1, rolling(0, "10%"), ["RollingUpdate", 0, 1]],
  ["numbers as texts", 2, rolling("1", "0"), ["RollingUpdate", 1, 0]],
  ["Recreate", 1, { type: "Recreate" }, ["Recreate", 1, 0]],
  ["nonsense", 1, rolling("many", "all"), ["RollingUpdate", 0, 1]],
] as const)("%s", ([, replicas, strategy, expected]) => expect(resolved(replicas, strategy)).toEqual(expected));
