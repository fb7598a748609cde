import { expect, test } from "vitest";
import { rehearsalScript } from "../../../simulation/rehearsal/step";

test("a rehearsal is up, a session, each toggle on and off, two sessions with the tool, and destroy", () => {
  const steps = rehearsalScript([
    { name: "NCCL blocked", config: ["nccl=blocked"] },
    { name: "two things", config: ["gpuNodes.maxSize=1", "labels.a=b=c"] },
  ]);
  expect(steps.map(({ command }) => command)).toEqual([
    "pulumi up",
    "$(pulumi stack output scaleUp)",
    "pulumi config set --path nccl blocked && pulumi up",
    "pulumi config rm --path nccl && pulumi up",
    "pulumi config set --path gpuNodes.maxSize 1 && pulumi config set --path labels.a b=c && pulumi up",
    "pulumi config rm --path gpuNodes.maxSize && pulumi config rm --path labels.a && pulumi up",
    "$(pulumi stack output scaleDown)",
    "npx eks-gpu-lab gpu up",
    "npx eks-gpu-lab gpu down",
    "npx eks-gpu-lab gpu up",
    "pulumi destroy",
  ]);
  expect(steps.map(({ title }) => title)).toContain("undo: NCCL blocked");
  expect(steps[2]?.action).toEqual({ kind: "up", config: ["nccl=blocked"] });
  expect(steps[3]?.action).toEqual({ kind: "up", config: [] });
});

test("without toggles, it is up, three sessions and destroy", () => {
  const kinds = rehearsalScript([]).map(({ action }) => action.kind);
  expect(kinds).toEqual(["up", "output", "output", "session", "session", "session", "destroy"]);
});
