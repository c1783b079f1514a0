import { InvalidParametersError } from '../errors.ts'

/** Whether an entry of a directory may be called so: it must not lead out of the directory that it is written to. */
export function isEntryName (name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/')
}

/**
 * @throws {InvalidParametersError} no entry may be called so
 */
export function checkEntryName (name: string): void {
  if (!isEntryName(name)) {
    throw new InvalidParametersError(`An entry cannot be called ${JSON.stringify(name)}`)
  }
}

/** The names of a path, cut at every slash without a backslash before it, as Helia does it. */
export function splitPath (path: string): string[] {
  return path.split(/(?<!\\)\//).filter(Boolean)
}
