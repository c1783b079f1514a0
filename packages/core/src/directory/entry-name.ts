import { quoteName } from '@ipfsz/utils/quote-name'
import { InvalidParametersError } from '../errors.ts'

/** Whether a name is valid for an entry. It must not lead out of the directory that it is written to. */
export function isEntryName (name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/')
}

/** @throws {InvalidParametersError} the name is not valid for an entry */
export function checkEntryName (name: string): void {
  if (!isEntryName(name)) {
    throw new InvalidParametersError(
      `An entry cannot be named ${quoteName(name)}: ` +
      'a name must not be empty, "." or "..", or contain a slash'
    )
  }
}

/** Split a path at every slash that is not escaped by a backslash, like Helia does. */
export function splitPath (path: string): string[] {
  // few paths have a backslash, and the expression takes many times as long
  return (path.includes('\\') ? path.split(/(?<!\\)\//) : path.split('/')).filter(Boolean)
}

/** A path without its names ".", as ipfs-unixfs-importer has it. */
export function withoutDots (path: string): string {
  return path.includes('./') || path.endsWith('.') ? path.split('/').filter(name => name !== '.').join('/') : path
}
