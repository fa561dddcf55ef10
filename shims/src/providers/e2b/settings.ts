/** How E2B, or what speaks its protocol, is reached. What is left out comes from the SDK's variables. */
export interface E2BSettings {
  /** First part of the ids of its sandboxes. Defaults to `e2b`. */
  name?: string;
  /** Defaults to `E2B_API_KEY`. */
  apiKey?: string;
  /** Defaults to `E2B_API_URL`, then to that of the domain. */
  apiUrl?: string;
  /** Defaults to `E2B_DOMAIN`, then to `e2b.app`. */
  domain?: string;
  /** One address for all commands and files, instead of one for each sandbox. Defaults to `E2B_SANDBOX_URL`. */
  sandboxUrl?: string;
  /** What sandboxes start from when `create` does not say. Defaults to `base`. */
  template?: string;
  /** How long an answer of the control plane may take. Defaults to 60 seconds. */
  requestTimeoutMs?: number;
}
