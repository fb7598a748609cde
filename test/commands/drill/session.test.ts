import {
  answerLines,
  meaningOf,
  meantBy,
  notStarted,
  take,
  usage,
  type Progress,
  type Quiz,
} from "../../../commands/drill/session";
import { conclusionIds, type ConclusionId } from "../../../triage/conclusions";
import { describe, expect, test } from "vitest";
import { scenarios } from "../../../commands/drill/scenarios/scenarios";

const quiz: Quiz = {
  answers: ["gpus-in-use", "node-selector-mismatch", "insufficient-gpu", "unbound-volume-claim"],
  right: ["gpus-in-use"],
  consequences: ["insufficient-gpu"],
  hints: ["look there", "look at this", "look at that"],
};

function play(...lines: string[]) {
  let progress: Progress = notStarted;
  const replies = lines.map((line) => {
    const turn = take(line, quiz, progress);
    progress = turn.progress;
    return turn.reply.join("\n");
  });
  return { progress, replies, last: replies.at(-1) };
}

test("the answers are numbered, each with its meaning", () => {
  expect(answerLines(quiz)[1]).toBe("2  node-selector-mismatch: no node has the labels that the pod selects");
});

describe("the right diagnosis", () => {
  test.each(["1", "gpus-in-use", " GPUS-IN-USE ", "in-use", "GPUs in use", "all gpus are taken", "gpu-in-use"])(
    "as %s",
    (line) => {
      expect(play(line).progress).toEqual({
        ...{ hints: 0, result: "solved", tries: [{ answer: "gpus-in-use", right: true }] },
      });
    },
  );

  test("after a wrong one is the second try", () => {
    const { progress } = play("2", "1");
    expect(progress.tries.map(({ right }) => right)).toEqual([false, true]);
  });
});

describe("a wrong diagnosis", () => {
  test("gets what would show it, and another try", () => {
    const { progress, last } = play("selector");
    expect(last).toBe(
      "No, it is not node-selector-mismatch. In that case, no GPU node would have all labels that the pod selects. Try again.",
    );
    expect(progress).toEqual({ hints: 0, tries: [{ answer: "node-selector-mismatch", right: false }] });
  });

  test("that triage finds as a consequence is true, and not the cause", () => {
    expect(play("3").last).toBe(
      "Not yet. insufficient-gpu is true (no node has enough free GPUs of the requested resource), but it is a consequence. What causes it?",
    );
  });

  test("can be any conclusion of triage, also one that is not in the list", () => {
    const { last, progress } = play("crash-loop");
    expect(last).toBe("No, it is not crash-loop. That means: a container keeps exiting. Try again.");
    expect(progress.tries).toHaveLength(1);
  });
});

describe("plain words", () => {
  test.each<[string, readonly ConclusionId[]]>([
    ["device plugin off", ["device-plugin-disabled"]],
    ["The Device-Plugin is deactivated!", ["device-plugin-disabled"]],
    ["plugin gone", ["device-plugin-missing"]],
    ["two plugins", ["two-device-plugins"]],
    ["the node was cordoned", ["node-cordoned"]],
    ["tainted node", ["untolerated-taint", "nodepool-taint", "startup-taint-stays"]],
    ["no space on the disk", ["disk-full"]],
    ["volume is not bound", ["unbound-volume-claim"]],
    ["deleted pod still holds the gpu", ["terminating-pod-holds-gpu"]],
    ["wrong node selector", ["node-selector-mismatch"]],
    ["driver is not installed", ["gpu-driver-missing"]],
    ["socket became a directory", ["containerd-socket-is-directory"]],
    ["gpu operator", ["gpu-operator-not-installed", "gpu-operator-not-ready"]],
    ["banana", []],
    ["the a of", []],
    ["", []],
  ])("%s", (line, ids) => expect([...meantBy(line, [])].sort()).toEqual([...ids].sort()));

  test.each<[string, ConclusionId]>([
    ["SchedulingDisabled", "node-cordoned"],
    ["taint without toleration", "untolerated-taint"],
    ["no allocatable GPUs", "gpu-allocatable-zero"],
    ["GPU is broken", "accelerated-hardware-not-ready"],
    ["hardware fault", "accelerated-hardware-not-ready"],
    ["not enough GPUs", "insufficient-gpu"],
    ["too little memory", "insufficient-resource"],
    ["PVC pending", "unbound-volume-claim"],
    ["gpu is occupied by other pods", "gpus-in-use"],
    ["node affinity does not match", "node-selector-mismatch"],
  ])("as a student types them, with the answer in the list: %s", (line, id) => {
    expect(take(line, { ...quiz, answers: [...quiz.answers, id] }, notStarted).progress.tries[0]?.answer).toBe(id);
  });

  test.each<[ConclusionId, readonly string[]]>([
    ["node-cordoned", ["somebody ran kubectl cordon", "the node is unschedulable", "new pods are not accepted"]],
    ["untolerated-taint", ["missing toleration", "pod does not tolerate the taint", "no toleration for the taint"]],
    ["gpu-allocatable-zero", ["device plugin not working", "0 gpus offered by the node", "allocatable is zero"]],
    ["accelerated-hardware-not-ready", ["hardware failure", "broken GPU", "there was an XID error"]],
    ["node-selector-mismatch", ["nodeSelector is wrong", "label missing on node", "node labels do not match"]],
    ["insufficient-gpu", ["requests too many GPUs", "more GPUs than the node has"]],
    ["insufficient-resource", ["cpu request too large", "requests too much memory"]],
    ["unbound-volume-claim", ["storage class is missing", "PersistentVolumeClaim is not bound"]],
    ["topology-spread", ["maxSkew is violated", "cannot spread pods over the zones"]],
    ["not-schedulable", ["scheduling gates", "the pod is gated", "schedulingGates are set"]],
    ["gpu-limit-missing", ["forgot the limit for the gpu", "pod has no GPU limit", "no GPU requested"]],
    ["resource-claim", ["the device class does not exist", "DRA driver is missing", "claim is not allocated"]],
    ["resource-not-offered", ["no node has an EFA device", "the extended resource"]],
    ["gpus-in-use", ["the GPU is busy", "other pods have taken the GPUs"]],
    [
      "kv-cache-too-small",
      ["KV cache is too small", "the cache does not hold one sequence", "context is too large for the cache"],
    ],
    ["context-above-model", ["context longer than the model supports", "max-model-len is too long for the model"]],
    ["tensor-parallel-not-divisible", ["wrong tensor-parallel-size", "attention heads cannot be divided"]],
    ["rollout-deadlock", ["maxSurge needs one more GPU", "rolling update is stuck on the old pod"]],
  ])("as learners say %s in a drill", (id, lines) => {
    const answers = scenarios.map(({ conclusion }) => conclusion);
    const said = lines.map((line) => take(line, { ...quiz, answers }, notStarted).progress.tries[0]?.answer);
    expect(said).toEqual(lines.map(() => id));
  });

  test.each(["-1", "1.5", "((", "\\d+", "🎉", "nodes are fine"])("that name no conclusion are no try: %s", (line) => {
    expect(take(line, quiz, notStarted).progress).toEqual(notStarted);
  });

  test("prefer what the list has", () => {
    expect(meantBy("not ready", ["kernel-not-ready"])).toEqual(["kernel-not-ready"]);
  });

  test.each(conclusionIds)("%s: its id with blanks, and its meaning, are understood", (id) => {
    expect(take(id.replaceAll("-", " ").toUpperCase(), quiz, notStarted).progress.tries[0]?.answer).toBe(id);
    expect(meantBy(meaningOf(id), [])).toEqual([id]);
  });
});

describe("hints", () => {
  test("come one after the other, and are counted", () => {
    const { replies, progress } = play("h", "hint", "H");
    expect(replies).toEqual(["Hint 1 of 3: look there", "Hint 2 of 3: look at this", "Hint 3 of 3: look at that"]);
    expect(progress.hints).toBe(3);
  });

  test("end, which is not counted", () => {
    const { last, progress } = play("h", "h", "h", "h");
    expect(last).toBe("There are only 3 hints. q shows the answer.");
    expect(progress.hints).toBe(3);
  });
});

describe("what is neither an answer nor a command is no try", () => {
  test.each([
    ["", usage],
    ["0", "There is no answer 0. Use a number from 1 to 4."],
    ["5", "There is no answer 5. Use a number from 1 to 4."],
    ["99999999999999999999", "There is no answer 99999999999999999999. Use a number from 1 to 4."],
    ["in", "in can be gpus-in-use or insufficient-gpu. Which one?"],
    ["gpus-in-us", undefined],
    ["gpu", "gpu can be gpus-in-use or insufficient-gpu. Which one?"],
    ["gpus-inn-user", "gpus-inn-user is not a conclusion of triage. Did you mean gpus-in-use?"],
    ["constructor", `constructor is not a conclusion of triage. ${usage}`],
  ])("%s", (line, reply) => {
    const { last, progress } = play(line);
    if (reply === undefined) return expect(progress.result).toBe("solved");
    expect(last).toBe(reply);
    expect(progress).toEqual(notStarted);
  });
});

test("a word that many conclusions have is no try, and they are not listed", () => {
  expect(play("not").last).toMatch(/^not matches \d\d conclusions\. Be more specific\.$/);
  expect(play("not").progress).toEqual(notStarted);
});

test("l shows the list again", () => {
  for (const line of ["l", "list", "?"]) expect(play(line).last).toBe([...answerLines(quiz), usage].join("\n"));
});

test.each(["q", "quit", "exit"])("%s gives up", (line) => {
  expect(play("h", line).progress).toEqual({ hints: 1, tries: [], result: "given-up" });
});
