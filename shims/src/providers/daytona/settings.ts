/** How Daytona is reached. What is left out comes from the SDK's own variables and files. */
export interface DaytonaSettings {
  /** First part of the ids of its sandboxes. Defaults to `daytona`. */
  name?: string;
  /** Defaults to `DAYTONA_API_KEY`. */
  apiKey?: string;
  /** Defaults to `DAYTONA_API_URL`, then to Daytona's own. */
  apiUrl?: string;
  /** The region of sandboxes. Defaults to `DAYTONA_TARGET`. */
  target?: string;
  /** The snapshot that sandboxes start from when `create` does not say. Defaults to Daytona's own. */
  template?: string;
  /**
   * Sandboxes are virtual machines and not containers, which is how Daytona can pause and copy them.
   * Which one a snapshot is made for is not told beforehand.
   */
  virtualMachines?: boolean;
  /** How long to wait for states that pass, such as of a start. Defaults to 60 seconds. */
  waitTimeoutMs?: number;
}
