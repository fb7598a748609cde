/**
 * Ctrl-C, for a command that listens. After its end only packages listen, and signal-exit would end the worker: a request that
 * arrives late on a busy machine must not press it again.
 */
export function pressCtrlC(): void {
  const isListening = process.listeners("SIGINT").some(({ name }) => name === "stop");
  if (isListening) process.emit("SIGINT");
}
