import { decode } from 'cborg'
import { CID } from 'multiformats/cid'
import { RepoError } from '../errors.ts'

/** Where Kubo keeps a record of each pin in its datastore (boxo, pinning/pinner/dspinner). */
export const PIN_RECORDS = '/pins/pin/'

/** The number of the mode of recursive pins. */
const RECURSIVE = 0

/**
 * Decode the record of a pin.
 *
 * @returns undefined for a pin that is not recursive
 * @throws {RepoError} it is not a record of a pin
 */
export function decodePinRecord (key: string, value: Uint8Array): { cid: CID, name?: string } | undefined {
  let pin: { cid?: unknown, mode?: unknown, name?: unknown } | undefined

  try {
    pin = decode(value) as typeof pin

    if (pin?.cid instanceof Uint8Array && typeof pin.mode === 'number') {
      const { name } = pin
      const cid = CID.decode(pin.cid)

      return pin.mode === RECURSIVE ? { cid, ...typeof name === 'string' && name !== '' ? { name } : {} } : undefined
    }
  } catch (cause) {
    throw damaged(key, cause)
  }

  throw damaged(key)
}

function damaged (key: string, cause?: unknown): RepoError {
  return new RepoError(
    `Kubo's record ${key} is not a pin: check its repo with ipfs pin verify, or pass the CIDs to import`,
    { cause }
  )
}
