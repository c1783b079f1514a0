import { GatewayError } from '../../errors.ts'
import { matchesEtag } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { contentDisposition } from '../content-disposition.ts'
import { fingerprint } from '../etag.ts'
import { contentHeaders, notModified } from '../headers.ts'
import type { ResponseContext } from '../context.ts'
import type { NameResolver } from '../../contract.ts'

/** Kept for a minute, in seconds, if the time of a record is unknown. */
const DEFAULT_TTL = 60

/**
 * The signed record of an IPNS key (Trustless Gateway, IPNS Record Responses). What it points to is not
 * needed, and need not exist.
 *
 * @throws {GatewayError} 501: there are no records here
 * @throws {NameNotFoundError} the name has no record
 */
export async function respondIpnsRecord (context: Omit<ResponseContext, 'resolved'>): Promise<Response> {
  const { components: { names }, request, signal, target: { name, query } } = context

  if (names?.record == null) {
    throw new GatewayError(501, 'This gateway does not serve IPNS records')
  }

  const record = await names.record(name, { signal })
  const ttl = await ttlOf(name, names, signal)
  const headers = contentHeaders({ ...context, resolved: { roots: [], ttl } }, {
    etag: `"${encodeURIComponent(name)}.ipns-record.${await fingerprint(Array.from(record))}"`,
    type: MEDIA_TYPES['ipns-record'],
    length: record.byteLength,
    disposition: contentDisposition(query, { type: 'attachment', filename: `${name}.ipns-record` })
  })

  if (matchesEtag(request.headers.get('if-none-match'), headers.get('etag') ?? '')) {
    return notModified(headers)
  }

  return new Response(request.method === 'HEAD' ? null : new Uint8Array(record), { headers })
}

async function ttlOf (name: string, names: NameResolver, signal: AbortSignal): Promise<number> {
  try {
    return (await names.resolve(name, { signal })).ttl
  } catch {
    // the record is there, though what it points to may not be
    signal.throwIfAborted()

    return DEFAULT_TTL
  }
}
