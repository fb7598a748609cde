import { onTestFinished, vi } from "vitest";

export const secretKey = "wJalrXUtnFEMI-K7MDENG-never-printed";
export const sessionToken = "FwoGZXIvYXdzEBYaD-never-printed";

/** The environment of a user whose AWS is this server, and who has no kubeconfig. */
export function useAws(endpoint: string): void {
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
    AWS_SECRET_ACCESS_KEY: secretKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_CONFIG_FILE: "/nonexistent",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_PROFILE: undefined,
    AWS_REGION: undefined,
    AWS_DEFAULT_REGION: undefined,
    KUBECONFIG: "/nonexistent",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}
