/** What a line of the device plugin's or the operator's log says. */
export type LogSign =
  "no-devices" | "incompatible-strategy" | "nvml-error" | "plugin-disabled" | "toolkit-cannot-signal";

/**
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/cmd/nvidia-device-plugin/main.go
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/internal/rm/factory.go
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/clusterpolicy_controller.go
 */
const signs: readonly (readonly [LogSign, RegExp])[] = [
  ["no-devices", /No devices found\. Waiting indefinitely/i],
  ["incompatible-strategy", /incompatible (?:device discovery )?strategy/i],
  ["nvml-error", /failed to init(?:ialize)? NVML|NVML error|error (?:getting|initializing) NVML|could not load NVML/i],
  ["plugin-disabled", /state-device-plugin\W.*"?status"?\W+disabled/i],
  ["toolkit-cannot-signal", /error signaling containerd/i],
];

/** The longest line that is kept: a signature stands at its beginning. */
const longestLine = 300;
const mostLines = 20;

export function signOf(line: string): LogSign | undefined {
  return signs.find(([, pattern]) => pattern.test(line))?.[0];
}

/** The lines of a log that say something, the newest last; the others are not worth keeping, and may hold anything. */
export function tellingLines(log: string): string[] {
  return log
    .split("\n")
    .filter((line) => signOf(line) !== undefined)
    .map((line) => line.trim().slice(0, longestLine))
    .slice(-mostLines);
}
