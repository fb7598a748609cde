/** The CPU time of a function, in milliseconds. It is also right on a busy machine. */
export function cpuMsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
