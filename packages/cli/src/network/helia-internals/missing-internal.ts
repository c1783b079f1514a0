import { NodeError } from '../../errors.ts'

/** The error for a private field of another package that is no longer there. */
export function missingInternal (packageName: string, field: string): NodeError {
  return new NodeError(`${packageName} has no ${field}: install the version that the package.json of ipfsz names`)
}
