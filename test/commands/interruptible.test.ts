import { afterEach, expect, test, vi } from "vitest";
import { interruptible, interruptibleCommand } from "../../commands/core/interruptible";
import { captured } from "../support/cli";

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

test("an interrupt before a change ends the command with its sentence, status 1 and the end of the process", async () => {
  const left: number[] = [];
  const leave = (status: number) => void left.push(status);
  const run = (steps: readonly string[]) =>
    captured(
      (console) =>
        interruptibleCommand(console, "Nothing was done.", async (signal, beforeChange) => {
          if (steps.includes("read")) await beforeChange(new Promise(() => setImmediate(() => process.emit("SIGINT"))));
          process.emit("SIGINT");
          return signal.aborted ? 7 : 0;
        }),
      { leave },
    );
  expect(await run(["read"])).toEqual({ status: 1, out: "", err: "Interrupted. Nothing was done.\n" });
  expect(left).toEqual([1]);
  expect(await run([])).toEqual({ status: 7, out: "", err: "" });
  expect(left).toEqual([1]);
});

test("an interrupt before work begins does not begin it", async () => {
  const { status } = await captured((console) =>
    interruptibleCommand(console, "Nothing was done.", async (_, beforeChange) => {
      process.emit("SIGINT");
      return beforeChange(new Promise(() => undefined));
    }),
  );
  expect(status).toBe(1);
});
