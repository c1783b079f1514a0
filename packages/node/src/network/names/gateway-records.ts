import { openResponse } from '@ipfsz/core/http'
import { readAtMost } from '@ipfsz/utils/read-at-most'
import { NameError } from '../../errors.ts'
import { chunksOf, createNodeFetch } from '../node-fetch.ts'
import { followNames, newestRecord } from './follow-names.ts'
import { formatName } from './name-records.ts'
import type { ResolvedName } from '../network.ts'
import type { MultihashDigest } from 'multiformats/hashes/interface'

/** The media type of a signed record (Trustless Gateway, `Accept`). */
const RECORD_TYPE = 'application/vnd.ipfs.ipns-record'
/** The largest record in bytes (IPNS record specification, section "Record Size Limit"). */
const MAX_RECORD_SIZE = 10 * 1024
/** How long a gateway may take for its answer, in milliseconds: it may have to ask a DHT. */
const TIMEOUT = 30_000
/** The default of `newerWithin`. */
const NEWER_WITHIN = 1000

/**
 * Resolve an IPNS name with the records that HTTP gateways send. They cannot lie: each record is signed by the key that
 * the name is made from. All gateways are asked, because an old record is valid too.
 *
 * @param gateways - their base URLs, which end with a slash
 * @param newerWithin - how long to wait for newer records after the first has arrived, in milliseconds
 * @throws {NameError} the text is not a name, or no gateway has a valid record of it
 */
export async function resolveByGateways (
  text: string,
  gateways: readonly string[],
  signal: AbortSignal,
  newerWithin = NEWER_WITHIN
): Promise<ResolvedName> {
  return followNames(text, async digest => newestRecord(
    digest,
    gateways.map(gateway => signal => askGateway(digest, gateway, signal)),
    { signal, timeout: TIMEOUT, newerWithin }
  ))
}

async function * askGateway (
  digest: MultihashDigest,
  gateway: string,
  signal: AbortSignal
): AsyncGenerator<Uint8Array> {
  const { body } = await openResponse(
    gateway,
    `ipns/${formatName(digest)}?format=ipns-record`,
    RECORD_TYPE,
    { fetch: createNodeFetch(), stallTimeout: TIMEOUT, signal }
  )

  if (body != null) {
    yield readAtMost(
      chunksOf(body),
      MAX_RECORD_SIZE,
      () => new NameError(`${gateway} sent a name record that exceeds the limit of ${MAX_RECORD_SIZE} bytes`)
    )
  }
}
