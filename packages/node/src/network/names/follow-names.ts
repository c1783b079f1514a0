// Room: IPNS names: publishing, also again (`name-service.ts`), resolving, their keys. DNSLink is in
// `packages/node/src/gateway/dns-link.ts`.
import { NameError } from '../../errors.ts'
import { MAX_NAMES, parseName, readRecord, recordKey } from './name-records.ts'
import type { NameRecord } from './name-records.ts'
import type { ResolvedName } from '../network.ts'
import type { MultihashDigest } from 'multiformats/hashes/interface'

/** A record as it was received, too. */
export interface FoundRecord extends NameRecord {
  bytes: Uint8Array
}

export interface NewestRecordInit {
  signal: AbortSignal
  /** How long those that are asked may take, in milliseconds. */
  timeout: number
  /** How long to wait for newer records after the first has arrived, in milliseconds. */
  newerWithin: number
}

/**
 * The newest valid record of a name. All are asked for it at the same time, because an old record is valid too.
 *
 * @param asked - each yields records, which are not checked, or fails if there are none
 * @returns undefined: nobody has one
 */
export async function newestRecord (
  digest: MultihashDigest,
  asked: ReadonlyArray<(signal: AbortSignal) => AsyncIterable<Uint8Array>>,
  { signal, timeout, newerWithin }: NewestRecordInit
): Promise<FoundRecord | undefined> {
  const key = recordKey(digest)
  const ended = new AbortController()
  const any = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(timeout)])
  let newest: FoundRecord | undefined

  await Promise.all(asked.map(async ask => {
    try {
      for await (const bytes of ask(any)) {
        const record = await readRecord(key, bytes)

        if (newest == null) {
          // one without the record would be waited for until the timeout
          setTimeout(() => { ended.abort() }, newerWithin).unref()
        }

        if (newest == null || record.sequence > newest.sequence) {
          newest = { ...record, bytes }
        }
      }
    } catch {
      // it has no record, or none that is valid: another one may
      signal.throwIfAborted()
    }
  }))

  return newest
}

/**
 * Follow a name, through other names, to a CID.
 *
 * @param find - the newest valid record of a name, or undefined if there is none
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
    `${text} exceeds the limit of ${MAX_NAMES} chained names: ask its owner to publish a CID`
  )
}

export function noRecord (text: string): NameError {
  return new NameError(
    `No record of ${text} was found: it was never published, or its record has expired`,
    { reason: 'no-record' }
  )
}
