import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { kubernetesVersion } from "../../../components/core/versions";

const sources = join(__dirname, "..", "control-plane");
const read = (file: string) => readFileSync(join(sources, file), "utf8");

/** The release of Kubernetes that go.mod requires, e.g. `v1.35.4`. */
export const release = /^\s*k8s\.io\/kubernetes (v[\d.]+)$/m.exec(read("go.mod"))?.[1] ?? "";

/** The program with all parts of a control plane, or why there is none. */
export type Search = { readonly binary: string } | { readonly why: string };

/** Takes the control plane from the cache, or builds it with Go, which takes 5 to 15 minutes. */
export function findControlPlane(): Search {
  if (!release.startsWith(`v${kubernetesVersion}.`)) {
    return { why: `go.mod requires Kubernetes ${release}, and the labs run ${kubernetesVersion}` };
  }
  const hash = createHash("sha256").update(read("go.sum")).update(read("main.go")).digest("hex").slice(0, 16);
  const binary = join(cacheFolder(), `control-plane-${hash}`);
  if (existsSync(binary)) return { binary };
  if (spawnSync("go", ["version"]).status !== 0) {
    return { why: "Go is not on the PATH, and no control plane has been built: install Go 1.25 or newer" };
  }
  process.stderr.write(`Building Kubernetes ${release} into ${binary}. This takes 5 to 15 minutes, once.\n`);
  return build(binary);
}

function build(binary: string): Search {
  mkdirSync(cacheFolder(), { recursive: true });
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)\./.exec(release) ?? [];
  const variables = { gitVersion: release, gitMajor: major, gitMinor: minor };
  const stamps = Object.entries(variables).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`);
  const unfinished = `${binary}.${process.pid}`;
  const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags", ["-s -w", ...stamps].join(" "), "-o", unfinished];
  const built = spawnSync("go", [...args, "."], { cwd: sources, env: { ...process.env, CGO_ENABLED: "0" } });
  if (built.status !== 0) return { why: `go build failed: ${built.stderr.toString().trim().slice(-2000)}` };
  renameSync(unfinished, binary);
  return { binary };
}

/** The user's folder for caches. */
export function cacheFolder(): string {
  const inHome = process.platform === "darwin" ? "Library/Caches" : ".cache";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), inHome), "eks-gpu-lab");
}
