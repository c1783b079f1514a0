import { unmark } from '@ipfsz/core'
import { openCar } from '../car/car.ts'
import { carParams } from '../request/car-params.ts'
import { chooseFormat, MEDIA_TYPES } from '../request/format.ts'
import { bodyStream } from './body-stream.ts'
import {
  fingerprint, isNotModified, namesOf, notModified, plainName, representationHeaders
} from './representation.ts'
import type { ResponseContext } from './context.ts'
import type { CarParams } from '../request/car-params.ts'

/**
 * The CAR of a path (specs.ipfs.tech/http-gateways/trustless-gateway, CAR Responses). A block
 * that is missing after the end of the path was found cuts the body.
 *
 * @throws {GatewayError} 400, 404, 406 or 501: see `openCar` and `carParams`
 * @throws {NotFoundError} a block of the path, or of its end, is missing
 */
export async function respondCar (context: ResponseContext): Promise<Response> {
  const { request, target, components, resolved, signal } = context
  const params = carParams(target.query, chooseFormat(target, request).parameters)
  const names = namesOf(context)
  const [root] = resolved.roots
  const etag = await carEtag(context, params)
  const headers = representationHeaders(context, {
    etag,
    contentType: `${MEDIA_TYPES.car}; version=1; order=dfs; dups=${params.dups ? 'y' : 'n'}`,
    disposition: { type: 'attachment', filename: `${plainName(context)}.car` }
  })

  headers.set('accept-ranges', 'none')

  if (isNotModified(request, etag)) {
    return notModified(headers)
  }

  const car = await openCar(root, names, params, components.blocks, signal)

  if (request.method === 'HEAD') {
    await car.bytes.return(undefined)

    return new Response(null, { headers })
  }

  return new Response(bodyStream(car.bytes), { headers })
}

/**
 * Strong, as the same path and parameters always give the same bytes. It begins with the scope
 * and the range (Trustless Gateway, `dag-scope`).
 */
async function carEtag (context: ResponseContext, { scope, bytes, dups }: CarParams): Promise<string> {
  const range = bytes == null ? '' : `${bytes.from}:${bytes.to ?? '*'}.`
  const [root] = context.resolved.roots
  const rest = await fingerprint(unmark(root).toString(), namesOf(context), dups)

  return `"${scope}.${range}${plainName(context)}.car.${rest}"`
}
