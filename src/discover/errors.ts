/** A scan was asked for something that is not there; the message names the path. */
export class ScanInputError extends Error {
  override name = 'ScanInputError';
}
