import { InvalidParametersError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/**
 * Names the earlier version of the file that is added at a path, if there is one.
 *
 * @param start - the first bytes of the file, at most 16 MiB, to find by content what it was. They must not be
 *   changed, and are overwritten later: copy what is kept
 */
export type BaseOf = (path: string | undefined, start: Uint8Array) => CID | undefined | Promise<CID | undefined>

/** What becomes of a base that has a base itself. */
export type BaseOfBase = 'flatten' | 'refuse'

export const DEFAULT_BASE_OF_BASE: BaseOfBase = 'flatten'

/** @throws {InvalidParametersError} it is neither of the two */
export function resolveBaseOfBase (baseOfBase: BaseOfBase = DEFAULT_BASE_OF_BASE): BaseOfBase {
  if (baseOfBase !== 'flatten' && baseOfBase !== 'refuse') {
    throw new InvalidParametersError(`baseOfBase must be flatten or refuse, not ${String(baseOfBase)}`)
  }

  return baseOfBase
}
