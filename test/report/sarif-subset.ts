/**
 * The part of SARIF 2.1.0 that cubeshift writes, as a JSON schema in our own words. It is stricter
 * than the standard's: a property we do not know is an error. The output was also checked against
 * the published schema, which is not copied here.
 */

type Schema = Readonly<Record<string, unknown>>;

const object = (
  required: readonly string[],
  properties: Readonly<Record<string, Schema>>,
): Schema => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const list = (items: Schema): Schema => ({ type: 'array', items });

const text: Schema = { type: 'string', minLength: 1 };
const positive: Schema = { type: 'integer', minimum: 1 };
const bag: Schema = { type: 'object' };
const absoluteUri: Schema = { type: 'string', pattern: '^[a-z][a-z0-9+.-]*:' };
const relativeUri: Schema = {
  type: 'string',
  pattern: "^(?!/)(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})+$",
};
const message = object(['text'], { text });
const multiformat = object(['text'], { text, markdown: text });
const artifact = object(['uri', 'uriBaseId'], {
  uri: relativeUri,
  uriBaseId: { const: '%SRCROOT%' },
});
const region = object(['startLine'], {
  startLine: positive,
  startColumn: positive,
  endLine: positive,
  endColumn: positive,
  snippet: object(['text'], { text: { type: 'string' } }),
});
const location = object(['physicalLocation'], {
  physicalLocation: object(['artifactLocation'], { artifactLocation: artifact, region }),
  logicalLocations: list(object(['fullyQualifiedName'], { fullyQualifiedName: text })),
});
const level: Schema = { enum: ['none', 'note', 'warning', 'error'] };

const rule = object(['id', 'name', 'shortDescription', 'fullDescription', 'helpUri', 'help'], {
  id: text,
  name: text,
  shortDescription: multiformat,
  fullDescription: multiformat,
  helpUri: absoluteUri,
  help: multiformat,
  properties: object(['tags'], { tags: { ...list(text), maxItems: 20, uniqueItems: true } }),
});

const result = object(
  ['ruleId', 'ruleIndex', 'level', 'message', 'locations', 'partialFingerprints'],
  {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: 0 },
    level,
    message,
    locations: { ...list(location), minItems: 1 },
    partialFingerprints: { type: 'object', additionalProperties: text },
    baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
    properties: bag,
  },
);

const run = object(['tool', 'invocations', 'columnKind', 'results'], {
  tool: object(['driver'], {
    driver: object(['name', 'semanticVersion', 'rules'], {
      name: text,
      semanticVersion: text,
      informationUri: absoluteUri,
      rules: list(rule),
    }),
  }),
  invocations: list(
    object(['executionSuccessful'], {
      executionSuccessful: { type: 'boolean' },
      toolExecutionNotifications: list(
        object(['message'], { level, message, locations: list(location) }),
      ),
    }),
  ),
  originalUriBaseIds: {
    type: 'object',
    additionalProperties: object([], { description: message }),
  },
  columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
  results: { ...list(result), maxItems: 25_000 },
});

export const SARIF_SUBSET = object(['$schema', 'version', 'runs'], {
  $schema: absoluteUri,
  version: { const: '2.1.0' },
  runs: list(run),
});
