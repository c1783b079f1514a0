import { GatewayError } from '../errors.ts'
import { MEDIA_TYPES } from '../request/format.ts'
import { fingerprint, isNotModified, notModified, representationHeaders } from './representation.ts'
import type { ResponseContext } from './context.ts'
import type { NameResolver } from '../contract.ts'

/** Kept for a minute, in seconds, if the time of a record is unknown. */
const DEFAULT_TTL = 60

/**
 * The signed record of an IPNS key (specs.ipfs.tech/http-gateways/trustless-gateway, IPNS Record
 * Responses). Nothing of what it points to is needed, so `resolved` may be left out.
 *
 * @throws {GatewayError} 400: the path is not that of a name alone. 501: there are no records here
 * @throws {NameNotFoundError} the name has no record
 */
export async function respondIpnsRecord (
  context: Omit<ResponseContext, 'resolved'> & Partial<Pick<ResponseContext, 'resolved'>>
): Promise<Response> {
  const { components: { names }, request, resolved, signal, target } = context

  if (target.namespace !== 'ipns' || target.path.length > 0) {
    throw new GatewayError(400, 'An IPNS record can be had of /ipns/NAME only, without a path')
  }

  if (names?.record == null) {
    throw new GatewayError(501, 'This gateway serves no IPNS records')
  }

  const record = await names.record(target.name, { signal })
  const ttl = resolved?.ttl ?? await ttlOf(target.name, names, signal)
  const etag = `"${encodeURIComponent(target.name)}.ipns-record.${await fingerprint(Array.from(record))}"`
  const headers = representationHeaders({ ...context, resolved: { roots: [], ttl } }, {
    etag,
    contentType: MEDIA_TYPES['ipns-record'],
    disposition: { type: 'attachment', filename: `${target.name}.ipns-record` }
  })

  headers.delete('x-ipfs-roots')

  if (isNotModified(request, etag)) {
    return notModified(headers)
  }

  headers.set('content-length', String(record.byteLength))

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
