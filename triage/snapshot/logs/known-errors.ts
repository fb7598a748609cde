import type { ConclusionId } from "../../conclusions";

/**
 * Messages of the kubelet, containerd, NVIDIA's tools and vLLM, in events, states of containers and logs. The first
 * pattern that matches decides.
 *
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/cmd/nvidia-device-plugin/main.go
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/internal/rm/health.go
 * @see https://github.com/NVIDIA/libnvidia-container/blob/v1.17.8/src/nvc_info.c
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/cmd/nvidia-validator/main.go
 * @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.0-4.8.0/internal/pkg/dcgmprovider/dcgm.go
 * @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/v1/core/kv_cache_utils.py
 */
const patterns = [
  // A container that writes to its own volumes or to /dev/shm gets the same error.
  ["disk-full", /(?<=(?:\/var\/lib\/kubelet|containerd|\bpull|rpc error).*)no space left on device/i],
  ["nvidia-runtime-missing", /no runtime for \W*nvidia|runtime handler \W*nvidia/i],
  ["cdi-device-missing", /unresolvable CDI devices/i],
  [
    "cuda-newer-than-driver",
    /unsatisfied condition: (?:cuda|driver)|CUDA driver version is insufficient|NVIDIA driver on your system is too old|forward compatibility was attempted on non supported HW|PTX was compiled with an unsupported toolchain/i,
  ],
  [
    "gpu-driver-missing",
    /nvidia-container-cli: initialization error: (?:load library failed: libnvidia-ml|nvml error: driver not loaded)|couldn't communicate with the NVIDIA driver|failed to (?:find an executable|locate|run command) \W?nvidia-smi|No pre-installed driver detected/i,
  ],
  [
    "kv-cache-too-small",
    /No available memory for the cache blocks|KV\s+cache is needed, which is larger than|larger than the maximum number of tokens that can be stored in KV cache/i,
  ],
  ["dcgm-engine-missing", /(?:connecting|connect) to (?:remote hostengine|nv-hostengine|host engine)\b(?! at )/i],
  ["shared-gpu-request", /maximum request size for shared resources/i],
  // XIDs that the device plugin ignores are faults of an application.
  [
    "gpu-xid-error",
    /XidCriticalError|NVRM: Xid \(PCI:[^)]*\): (?!(?:13|31|43|45|68|109)\b)\d|fallen off the bus|GPU is lost/i,
  ],
  ["plugin-finds-no-devices", /No devices found\. Waiting indefinitely/i],
  ["plugin-incompatible-strategy", /incompatible (?:device discovery )?strategy/i],
  [
    "plugin-nvml-error",
    /failed to init(?:ialize)? NVML|NVML error|error (?:getting|initializing) NVML|could not load NVML/i,
  ],
  ["device-plugin-disabled", /state-device-plugin\W.*"?status"?\W+disabled/i],
  ["toolkit-cannot-signal", /error signaling containerd/i],
] as const satisfies readonly (readonly [ConclusionId, RegExp])[];

/** The conclusions that one message can show. */
export type KnownError = (typeof patterns)[number][0];

/** Longer lines are cut. */
const maxLineLength = 300;
const maxLines = 20;

/** The conclusion that a message shows; undefined for all other messages. */
export function knownError(message: string): KnownError | undefined {
  return patterns.find(([, pattern]) => pattern.test(message))?.[0];
}

/** The lines of a log that show a conclusion, the newest last. Other lines are dropped: they may hold anything. */
export function recognizedLines(log: string): string[] {
  return log
    .split("\n")
    .filter((line) => knownError(line) !== undefined)
    .map((line) => excerptOf(line.trim()))
    .slice(-maxLines);
}

/** The part of a long line that shows its conclusion. The cause is often at the end of a message of containerd. */
function excerptOf(line: string): string {
  if (line.length <= maxLineLength || knownError(line.slice(0, maxLineLength)) !== undefined) {
    return line.slice(0, maxLineLength);
  }
  const at = patterns.map(([, pattern]) => line.search(pattern)).find((found) => found >= 0) ?? 0;
  return line.slice(Math.max(0, Math.min(at, line.length - maxLineLength))).slice(0, maxLineLength);
}
