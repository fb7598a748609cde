import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { AnalyzerClient } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import {
  AnalyzerStackConfigureRequest,
  ConfigureAnalyzerRequest,
  PolicyConfig,
  type AnalyzeRequest,
  type AnalyzeResponse,
  type AnalyzerInfo,
  type AnalyzeStackRequest,
  type EnforcementLevel,
  type RemediateResponse,
} from "@pulumi/pulumi/proto/analyzer_pb";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";

/** What the language host passes on about the stack. */
export interface Environment {
  readonly stack: string;
  readonly config?: Readonly<Record<string, string>>;
}

/**
 * Starts a built pack in a process of its own, exactly as the engine does, and connects to it.
 *
 * @param root the project with the pack, its bundle and its packages @default this one
 */
export async function servePack(folder: string, { stack, config = {} }: Environment, root = process.cwd()) {
  const pack = join(root, "policies/packs", folder);
  if (!existsSync(join(root, `dist/policies/${folder}.js`))) throw new Error("not built: npm run build");
  const child = spawn(
    process.execPath,
    [join(root, "node_modules/@pulumi/pulumi/cmd/run-policy-pack"), "127.0.0.1:0", pack],
    {
      cwd: pack,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        PULUMI_NODEJS_PROJECT: "project",
        PULUMI_NODEJS_STACK: stack,
        PULUMI_NODEJS_DRY_RUN: "true",
        PULUMI_CONFIG: JSON.stringify(config),
      },
    },
  );
  const output: string[] = [];
  const lines = createInterface(child.stdout).on("line", (line) => output.push(line));
  child.stderr.on("data", (chunk: Buffer) => output.push(`stderr: ${chunk.toString()}`));
  const [port] = (await Promise.race([once(lines, "line"), once(child, "exit")])) as unknown[];
  const client = new AnalyzerClient(`127.0.0.1:${String(port)}`, credentials.createInsecure());

  const call = <Request, Response>(
    method: (request: Request, callback: (error: Error | null, response: Response) => void) => unknown,
    request: Request,
  ) =>
    new Promise<Response>((resolve, reject) =>
      method.call(client, request, (error, response) => (error ? reject(error) : resolve(response))),
    );

  return {
    /** Everything it has printed, by line. */
    output,
    info: () => call<Empty, AnalyzerInfo>((...args) => client.getAnalyzerInfo(...args), new Empty()),
    pluginInfo: () => call<Empty, PluginInfo>((...args) => client.getPluginInfo(...args), new Empty()),
    configureStack: () =>
      call((...args) => client.configureStack(...args), new AnalyzerStackConfigureRequest().setStack(stack)),
    configure: (policies: Readonly<Record<string, Configured>>) =>
      call((...args) => client.configure(...args), configureRequest(policies)),
    analyze: (request: AnalyzeRequest) =>
      call<AnalyzeRequest, AnalyzeResponse>((...args) => client.analyze(...args), request),
    analyzeStack: (request: AnalyzeStackRequest) =>
      call<AnalyzeStackRequest, AnalyzeResponse>((...args) => client.analyzeStack(...args), request),
    remediate: (request: AnalyzeRequest) =>
      call<AnalyzeRequest, RemediateResponse>((...args) => client.remediate(...args), request),
    async stop() {
      client.close();
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

export interface Configured {
  readonly level: EnforcementLevel;
  readonly properties?: Readonly<Record<string, unknown>>;
}

function configureRequest(policies: Readonly<Record<string, Configured>>): ConfigureAnalyzerRequest {
  const request = new ConfigureAnalyzerRequest();
  for (const [name, { level, properties = {} }] of Object.entries(policies)) {
    const config = new PolicyConfig().setEnforcementlevel(level);
    config.setProperties(Struct.fromJavaScript(properties as Record<string, JavaScriptValue>));
    request.getPolicyconfigMap().set(name, config);
  }
  return request;
}
