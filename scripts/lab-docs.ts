// The tables of the labs in the README and in docs/labs.
import { costSizes } from "../components/environment/gpu-environment-plan";
import { environmentCost } from "../components/cost/environment-cost";
import type { Lab } from "../stacks/run/lab";
import { describeSession } from "../stacks/run/session";
import { labs } from "../stacks/labs";
import { table } from "../planner/report/markdown-syntax";

const all = Object.entries<Lab>(labs);

/** Each lab with its question, and the length, GPU nodes and cost of a session. */
export function labTable(): string {
  const prices = environmentCost(costSizes({ publicAccessCidrs: ["203.0.113.7/32"] }, "ap-northeast-2"));
  const rows = all.map(([name, { question, minutes, gpuNodes }]) => {
    const [cost = ""] = describeSession({ minutes, gpuNodes }, prices).split(":");
    return [`[${name}](${name}.md)`, question, `${minutes} min`, String(gpuNodes), cost];
  });
  return table(["lab", "question", "session", "GPU nodes", "about"], rows, { right: [2, 3, 4] });
}
