import type { ConclusionId } from "../../conclusions";

/** The conclusions that one line of the device plugin's, the toolkit's or the operator's log can show. */
export type LogConclusion = Extract<
  ConclusionId,
  | "plugin-finds-no-devices"
  | "plugin-incompatible-strategy"
  | "plugin-nvml-error"
  | "device-plugin-disabled"
  | "toolkit-cannot-signal"
>;

/**
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/cmd/nvidia-device-plugin/main.go
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/internal/rm/factory.go
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/clusterpolicy_controller.go
 */
const patterns: readonly (readonly [LogConclusion, RegExp])[] = [
  ["plugin-finds-no-devices", /No devices found\. Waiting indefinitely/i],
  ["plugin-incompatible-strategy", /incompatible (?:device discovery )?strategy/i],
  [
    "plugin-nvml-error",
    /failed to init(?:ialize)? NVML|NVML error|error (?:getting|initializing) NVML|could not load NVML/i,
  ],
  ["device-plugin-disabled", /state-device-plugin\W.*"?status"?\W+disabled/i],
  ["toolkit-cannot-signal", /error signaling containerd/i],
];

/** Longer lines are cut. The patterns match the start of a line. */
const maxLineLength = 300;
const maxLines = 20;

/** The conclusion that a line shows; undefined for all other lines. */
export function conclusionOfLine(line: string): LogConclusion | undefined {
  return patterns.find(([, pattern]) => pattern.test(line))?.[0];
}

/** The lines of a log that show a conclusion, the newest last. Other lines are dropped: they may hold anything. */
export function recognizedLines(log: string): string[] {
  return log
    .split("\n")
    .filter((line) => conclusionOfLine(line) !== undefined)
    .map((line) => line.trim().slice(0, maxLineLength))
    .slice(-maxLines);
}
