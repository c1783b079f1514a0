import { NameError } from '../../errors.ts'
import { MAX_NAMES, parseName } from './name-records.ts'
import type { NameRecord } from './name-records.ts'
import type { ResolvedName } from '../network.ts'
import type { MultihashDigest } from 'multiformats/hashes/interface'

/**
 * Follow a name, through other names, to a CID.
 *
 * @param find - the newest valid record of a name, or undefined if there is none
 * @throws {NameError} the text is not a name, a record is missing, or there are too many names
 */
export async function followNames (
  text: string,
  find: (digest: MultihashDigest) => Promise<NameRecord | undefined>
): Promise<ResolvedName> {
  let digest = parseName(text)

  for (let depth = 0; depth < MAX_NAMES; depth++) {
    const record = await find(digest)

    if (record == null) {
      throw noRecord(text)
    }

    if (!('name' in record.value)) {
      return record.value
    }

    digest = record.value.name
  }

  throw new NameError(
    `${text} leads through more than ${MAX_NAMES} names, which is the limit: ask its owner to publish a CID`
  )
}

/** The error for a name without a record. */
export function noRecord (text: string): NameError {
  return new NameError(`No record of ${text} was found: it was never published, or its record has expired. ` +
    'Ask its owner to publish it again, with ipfsz name publish')
}
