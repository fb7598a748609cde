// Writes the API reports in test/api/: the declarations of everything that the package exports. A change of the public interface
// is a change of these files, which a review sees. With --check it writes nothing, and ends with 1 if a report is out of date.
//
//   npm run build, then: node tools/run.mjs api-report [--check]
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

/** The entries of the package, by the name of their report. */
const entries = {
  components: "dist/types/components/index.d.ts",
  policies: "dist/types/policies/index.d.ts",
  testing: "dist/types/simulation/mocks.d.ts",
} as const;

const compilerOptions = {
  ...{ target: "es2022", lib: ["es2023"], module: "node16", moduleResolution: "node16", types: ["node"] },
  ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
};

export function main(args: readonly string[]): void {
  const isCheck = args.includes("--check");
  const stale = Object.entries(entries).filter(([name, entry]) => isStale(name, entry, isCheck));
  if (stale.length === 0) return;
  for (const [name] of stale) process.stderr.write(`test/api/${name}.api.md is out of date; run npm run api\n`);
  process.exitCode = 1;
}

/** Whether the report differs from the declarations; without a check, it is written. */
function isStale(name: string, entry: string, isCheck: boolean): boolean {
  const projectFolder = process.cwd();
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder,
      mainEntryPointFilePath: `${projectFolder}/${entry}`,
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      // The schemas behind the arguments are not exported, and are what a program can set.
      apiReport: {
        enabled: true,
        includeForgottenExports: true,
        reportFolder: "test/api",
        reportTempFolder: "dist/api",
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: `${projectFolder}/package.json`,
  });
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: !isCheck,
    messageCallback: (message) => (message.handled = true),
  });
  return isCheck && apiReportChanged;
}
