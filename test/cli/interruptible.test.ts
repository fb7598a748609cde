import { afterEach, expect, test, vi } from "vitest";
import { interruptible } from "../../cli/interruptible";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Interrupts some work at these milliseconds. Returns how often the process was ended. */
async function exitsAfter(...times: readonly number[]): Promise<number> {
  vi.useFakeTimers({ now: 0 });
  const exit = vi.spyOn(process, "exit").mockImplementation((() => undefined) as never);
  const before = process.listenerCount("SIGINT");
  const aborted = await interruptible((signal) => {
    for (const time of times) {
      vi.setSystemTime(time);
      process.emit("SIGINT");
    }
    return Promise.resolve(signal.aborted);
  });
  expect([aborted, process.listenerCount("SIGINT")]).toEqual([times.length > 0, before]);
  return exit.mock.calls.length;
}

test("one interrupt aborts the work", async () => {
  expect(await exitsAfter(5)).toBe(0);
});

test("npx sends an interrupt twice: the second of the two does not end the process", async () => {
  expect(await exitsAfter(5, 9, 900)).toBe(0);
});

test("a later interrupt ends the process", async () => {
  expect(await exitsAfter(5, 2000)).toBe(1);
});

test("no interrupt aborts nothing", async () => {
  expect(await exitsAfter()).toBe(0);
});
