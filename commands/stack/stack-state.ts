import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "../../components/core/json-text";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import { shellText } from "../../components/core/text";
import { tagValue } from "../../components/core/stack-tags";
import { readState, type StackState } from "./state";
import { labOf } from "../../stacks/run/lab-rules";
import { pulumiOutput, stackProblem } from "./pulumi-cli";

/** A stack as its backend knows it. */
export interface Stack {
  /** Its name without organization and project. */
  readonly name: string;
  /** The value of the tag that its resources have. */
  readonly tag: string;
  readonly state: StackState;
  readonly region?: string;
  /** Its clusters, and the one of its configuration. */
  readonly clusters: readonly string[];
  /** The profile in `aws:profile`. */
  readonly profile?: string;
}

const fix = "name a stack from pulumi stack ls with --stack, or use --cluster and --region";

/** Reads the state and the configuration of a stack with the Pulumi CLI, in the current folder. @throws InputError */
export async function readStack(stack: string | undefined, cwd: string): Promise<Stack> {
  const at = { stack, cwd, fix, missingFix: stack === undefined ? undefined : wayBack(stack) };
  const full = (await pulumiOutput(["stack", "--show-name", "--fully-qualify-stack-names"], at)).trim();
  const { state, valueOf } = await readStateAndConfig(at);
  if (!state) throw stackProblem(stack, "pulumi stack export does not print a deployment.", "update the Pulumi CLI");
  const [, project = "", name = ""] = full.split("/");
  const lab = labOf(valueOf(`${project}:lab`) ?? name);
  const configured = valueOf(`${project}:clusterName`) ?? lab?.clusterName;
  return {
    ...{ name, tag: tagValue(full), state },
    clusters: [...new Set([...state.clusters, ...(configured === undefined ? [] : [configured])])],
    region: state.region ?? valueOf("aws:region"),
    profile: valueOf("aws:profile"),
  };
}

/** Without a stack of that name, no tag of it is searched: a removed stack comes back empty, and the list shows the ids. */
function wayBack(stack: string): string {
  const name = shellText([stack.split("/").at(-1) ?? stack]);
  const again = `run pulumi stack init ${name}, then npx eks-gpu-lab leftovers --stack ${name}`;
  return `name a stack from pulumi stack ls with --stack; if the stack was removed, ${again}`;
}

/**
 * Where the resources of a stack are, and whose credentials reach them. Reads the account from its state, and the
 * profile from its configuration, with the Pulumi CLI.
 *
 * @throws InputError
 */
export async function readStackAccount(stack: string | undefined, cwd: string) {
  const { state, valueOf } = await readStateAndConfig({ stack, cwd, fix });
  return withoutUndefined({
    account: state?.account,
    region: state?.region ?? valueOf("aws:region"),
    profile: valueOf("aws:profile"),
  });
}

async function readStateAndConfig(at: Parameters<typeof pulumiOutput>[1]) {
  const [exported, configured] = await Promise.all([
    pulumiOutput(["stack", "export"], at),
    pulumiOutput(["config", "--json"], at),
  ]);
  const values = parseJson(configured);
  const valueOf = (key: string) => {
    const entry = isRecord(values) ? values[key] : undefined;
    const value = isRecord(entry) ? entry["value"] : undefined;
    // A key that is not set has the default of Pulumi.yaml, which is empty.
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return { state: readState(parseJson(exported)), valueOf };
}

/**
 * Changes the state of a stack, and keeps the old one in a temporary file, outside of the project. Fails while an update runs.
 *
 * @returns the file with the old state
 * @throws InputError
 */
export async function changeState(
  stack: string | undefined,
  name: string,
  cwd: string,
  change: (document: unknown) => object,
): Promise<string> {
  const at = { stack, cwd, fix: "if no update is running, remove its lock with pulumi cancel" };
  const exported = await pulumiOutput(["stack", "export"], at);
  const copy = join(tmpdir(), `${name}-state-${new Date().toISOString().replace(/[:.]/g, "-")}.json`);
  await writeFile(copy, exported, { flag: "wx", mode: 0o600 });
  const folder = await mkdtemp(join(tmpdir(), "eks-gpu-lab-state-"));
  try {
    const file = join(folder, "state.json");
    await writeFile(file, JSON.stringify(change(parseJson(exported))), { mode: 0o600 });
    await pulumiOutput(["stack", "import", "--file", file], at);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return copy;
}
