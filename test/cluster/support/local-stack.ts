import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProject } from "../../../planner/program/project";
import { stackConfig } from "../../../planner/program/stack-config";
import { cleanEnvironment } from "../../../simulation/pulumi/command";
import { copyProject, writeStackFile, type ProjectCopy } from "../../../simulation/pulumi/project-copy";
import { changeLine } from "../../engine/support/engine";
import { ownProject } from "../../support/own-project";

interface PreviewStep {
  readonly op: string;
  readonly urn: string;
  readonly detailedDiff?: Readonly<Record<string, unknown>> | null;
}

interface UpOptions {
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const project = findProject(ownProject);

/** A stack that the Pulumi CLI deploys to a local cluster, with nothing simulated. */
export class LocalStack {
  readonly folder = mkdtempSync(join(tmpdir(), "local-stack-"));
  private readonly copy: ProjectCopy;
  private readonly env: NodeJS.ProcessEnv;

  constructor(
    private readonly stack: string,
    kubeconfig: string,
  ) {
    const copied = join(this.folder, "project");
    mkdirSync(join(this.folder, "state"));
    mkdirSync(copied);
    this.copy = copyProject(project, copied);
    this.env = {
      ...cleanEnvironment(this.folder, ""),
      PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "false",
      KUBECONFIG: kubeconfig,
    };
  }

  configure(settings: readonly string[]): void {
    writeStackFile(this.copy.stackFile(this.stack), stackConfig(project, this.stack, settings).values);
  }

  async init(): Promise<void> {
    await this.run(["stack", "init", this.stack]);
  }

  /** The changes of a preview in the format of the labs; components and outputs do not count. */
  async preview(): Promise<string[]> {
    const { steps } = JSON.parse(await this.run(["preview", "--json"])) as { steps: readonly PreviewStep[] };
    const own = steps.filter(({ op, urn }) => op !== "same" && !/::(pulumi:|[^:]*eks-gpu-lab:index:\w+::)/.test(urn));
    return own
      .map(({ op, urn, detailedDiff }) => {
        const [, , type = "", name = ""] = urn.split("::");
        return changeLine({ op, type, name, paths: Object.keys(detailedDiff ?? {}).sort() });
      })
      .sort();
  }

  async up(): Promise<void> {
    await this.run(["up", "--yes", "--skip-preview"]);
  }

  /** What `pulumi up` prints, with its preview. */
  async upAfterPreview({ options = [], env = {} }: UpOptions = {}): Promise<string> {
    return this.run(["up", "--yes", ...options], env);
  }

  async destroy(): Promise<void> {
    await this.run(["destroy", "--yes", "--skip-preview"]);
  }

  private async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const options = { cwd: this.copy.dir, env: { ...this.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    const command = promisify(execFile)("pulumi", [...args, "--non-interactive"], options);
    const { stdout } = await command.catch((error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`pulumi ${args.join(" ")} failed: ${error.stdout}${error.stderr}`, { cause: error });
    });
    return stdout;
  }
}
