/** What the SDKs read from the environment to find a local server. */

/** Of the E2B SDKs, and in the Cube flavour of CubeSandbox's own. */
export function e2bEnvironment(at: {
  url: string;
  apiKey: string;
  templateId: string;
  flavor: 'cube' | 'e2b';
}): Record<string, string> {
  const { hostname, port } = new URL(at.url);
  return {
    E2B_API_URL: at.url,
    E2B_SANDBOX_URL: at.url,
    E2B_API_KEY: at.apiKey,
    ...(at.flavor === 'e2b'
      ? { E2B_VOLUME_API_URL: at.url }
      : {
          CUBE_API_URL: at.url,
          CUBE_API_KEY: at.apiKey,
          CUBE_TEMPLATE_ID: at.templateId,
          CUBE_PROXY_NODE_IP: hostname,
          CUBE_PROXY_PORT_HTTP: port,
          CUBE_PROXY_SCHEME: 'http',
        }),
  };
}

/** Of the Daytona SDKs. */
export function daytonaEnvironment(at: { url: string; apiKey: string }): Record<string, string> {
  return { DAYTONA_API_URL: at.url, DAYTONA_API_KEY: at.apiKey };
}
