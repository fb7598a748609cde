import { defaultUtilization, fitModel, type Fit } from "../../components/workloads/serving/fit";
import { weightsGiB, type Range } from "../../components/workloads/serving/model-memory";
import { knownModel, knownModels, modelShape, type ModelShape } from "../../components/workloads/serving/model-shape";
import { nearest } from "../../components/core/suggest";
import { aligned, indented, pageOf, wrapped } from "../../components/core/text";
import { textPage, type TextOptions, type TextPage } from "../../components/core/text-page";
import { instanceType, instanceTypeNames, type InstanceType } from "../../components/nodes/machine/instance-types";
import { exitStatus, type Console } from "../core/command";
import { isReadable, readFileOf, wrongOption } from "../core/files";
import { jsonText, textStyle, withNull } from "../core/terminal";
import { fitCommand } from "./fit-options";

type FitOptions = ReturnType<typeof fitCommand.read>;

/** A model on one type of instance. */
interface InstanceFit extends Fit {
  readonly instance: string;
}

/** What was asked, and the answers. */
interface FitReport {
  readonly model: string;
  readonly shape: ModelShape;
  readonly context: number;
  readonly tensorParallel: number;
  readonly gpuMemoryUtilization: number;
  readonly vllm: string;
  readonly fits: readonly InstanceFit[];
}

/** `eks-gpu-lab fit`: says whether a model fits on GPU instances. */
export async function runFit(args: readonly string[], console: Console): Promise<number> {
  const options = fitCommand.read(args);
  const shape = await shapeOf(options.model, console.cwd);
  const report = judged(options, shape);
  console.write(options.json ? jsonText(document(report)) : render(report, textStyle(console)));
  return report.fits.every(({ verdict }) => verdict === "does-not-fit") ? exitStatus.rejected : exitStatus.ok;
}

/** @throws InputError if the model is not known, or its memory is not */
async function shapeOf(model: string, cwd: string): Promise<ModelShape> {
  const isListed = knownModels.includes(model);
  const isFile = !isListed && (model.endsWith(".json") || isReadable(model, cwd));
  const shape = isFile ? modelShape(parsed(await readFileOf("--model", model, cwd))) : knownModel(model);
  if (!("unknown" in shape)) return shape;
  throw wrongOption("--model", model, shape.unknown, isFile || isListed ? startIt : fixOf(model));
}

const startIt = "start it once to see what it needs: its memory cannot be estimated";

function fixOf(model: string): string {
  const file = "download its config.json, and use the path of the file";
  const guess = nearest(model, knownModels);
  return guess === undefined ? file : `did you mean ${guess}? Otherwise, ${file}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function judged(options: FitOptions, shape: ModelShape): FitReport {
  const { model, tensorParallel, vllm: minor, instance } = options;
  const utilization = options.gpuMemoryUtilization ?? defaultUtilization(minor);
  const context = options.context ?? shape.maxContext;
  const settings = { context, tensorParallel, utilization, minor };
  const types = instance.length > 0 ? typesOf([...new Set(instance)]) : smallestTypes(tensorParallel);
  const fits = types.map((type: InstanceType) => ({ instance: type.name, ...fitModel(shape, type, settings) }));
  return { model, shape, context, tensorParallel, gpuMemoryUtilization: utilization, vllm: `0.${minor}`, fits };
}

function typesOf(names: readonly string[]): InstanceType[] {
  return names.flatMap((name) => instanceType(name) ?? []);
}

/** The first type of each family with as many GPUs, or with any if no type of the family has them. */
function smallestTypes(gpus: number): InstanceType[] {
  const types = typesOf(instanceTypeNames).filter((type) => type.gpus > 0);
  const families = [...new Set(types.map(({ family }) => family))];
  return families.flatMap((family) => {
    const own = types.filter((type) => type.family === family);
    return own.find((type) => type.gpus >= gpus) ?? own.at(-1) ?? [];
  });
}

const verdicts = {
  fits: { text: "fits", color: "green" },
  tight: { text: "tight", color: "yellow" },
  "does-not-fit": { text: "does not fit", color: "red" },
  unknown: { text: "unknown", color: "yellow" },
} as const;

function render(report: FitReport, options: TextOptions): string {
  const page = textPage(options);
  const { model, shape, context, tensorParallel, gpuMemoryUtilization, vllm, fits } = report;
  const asked = `context ${context}, tensor parallel ${tensorParallel}, ${Math.round(gpuMemoryUtilization * 100)} % of each GPU, vLLM ${vllm}`;
  const head = [
    page.colors.bold(model),
    `${(shape.parameters / 1e9).toFixed(1)} billion parameters, ${weightsGiB(shape).toFixed(1)} GiB of weights`,
    asked,
  ];
  return pageOf([head, table(fits, page), ...(fits.length > 3 ? [] : fits.map((fit) => details(fit, page)))]);
}

function table(fits: readonly InstanceFit[], { width }: TextPage): string[] {
  const rows = fits.map(({ instance, verdict, longestContext, requests }) => [
    instance,
    verdicts[verdict].text,
    rangeText(longestContext),
    rangeText(requests),
  ]);
  const head = ["INSTANCE", "VERDICT", "LONGEST CONTEXT", "REQUESTS AT ONCE"];
  return aligned([head, ...rows], [{}, {}, { align: "right" }, { align: "right" }], width);
}

function rangeText(range: Range | undefined): string {
  if (range === undefined) return "-";
  return range.least === range.most ? String(range.least) : `${range.least} to ${range.most}`;
}

function details({ instance, verdict, why, fix }: InstanceFit, { colors, width }: TextPage): string[] {
  const { text, color } = verdicts[verdict];
  return [
    `${colors.bold(instance)}: ${colors[color](text)}`,
    ...indented(wrapped(why, width - 2)),
    ...(fix === undefined ? [] : indented(wrapped(`fix: ${fix}`, width - 2))),
  ];
}

function document({ shape, fits, ...asked }: FitReport): object {
  const instances = fits.map(({ instance, verdict, limit, why, fix, memory, longestContext, requests }) =>
    withNull({ instance, verdict, limit, why, fix, memoryGiB: memory && memoryOf(memory), longestContext, requests }),
  );
  const { parameters, maxContext } = shape;
  return { ...asked, parameters, weightsGiB: rounded(weightsGiB(shape)), modelContext: maxContext, instances };
}

function memoryOf({ usable, weights, cache, cacheRange, request }: NonNullable<Fit["memory"]>): object {
  const range = { least: rounded(cacheRange.least), most: rounded(cacheRange.most) };
  const [free, loaded, one] = [usable, weights, request].map(rounded);
  const likely = cache === undefined ? null : rounded(cache);
  return { usable: free, weights: loaded, cache: likely, cacheRange: range, request: one };
}

function rounded(amount: number): number {
  return Math.round(amount * 1000) / 1000;
}
