import { unmark } from '@ipfsz/core'
import { openCar } from '../../car/car.ts'
import { PathLimit } from '../../dag/path-limit.ts'
import { MAX_BLOCK_SIZE } from '../../dag/read-block.ts'
import { followSignal } from '../../follow-signal.ts'
import { holdIn } from '../../memory/hold.ts'
import { passInTurns, shareOfBody } from '../../memory/turns.ts'
import { carParams } from '../../request/car-params.ts'
import { namesEtag } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { contentDisposition } from '../content-disposition.ts'
import { fingerprint } from '../etag.ts'
import { contentHeaders, notModified } from '../headers.ts'
import { UNCOUNTED } from '../read-file.ts'
import { openResponseBody } from '../body.ts'
import type { CarMemory } from '../../car/car-memory.ts'
import type { BlockBox } from '../../memory/block-box.ts'
import type { ResponseContext } from '../context.ts'
import type { CarParams } from '../../request/car-params.ts'

/**
 * The CAR of a path (Trustless Gateway, CAR Responses). A block that is missing after the end of the path
 * was found cuts the body.
 *
 * @throws {GatewayError} 400, 404, 406 or 501: see `openCar` and `carParams`
 * @throws {NotFoundError} a block of the path, or of its end, is missing
 */
export async function respondCar (context: ResponseContext): Promise<Response> {
  const { request, target: { query }, components: { blocks }, resolved, signal } = context
  const params = carParams(query, context.parameters)
  const headers = contentHeaders(context, {
    etag: await carEtag(context, params),
    type: `${MEDIA_TYPES.car}; version=1; order=dfs; dups=${params.dups ? 'y' : 'n'}`,
    ranges: false,
    disposition: contentDisposition(query, { type: 'attachment', filename: `${unmark(resolved.cid)}.car` })
  })

  if (namesEtag(request.headers.get('if-none-match'), headers.get('etag') ?? '')) {
    return notModified(headers)
  }

  const unneeded = followSignal(signal)
  let sending: Pick<BlockBox, 'drop'> | undefined
  const memory = memoryOf(context, unneeded, block => { sending = block })
  // the path was followed before without its shards: it may cost as much again
  const limit = new PathLimit(context.init.limits.pathTime, unneeded.signal)
  const car = await openCar(resolved.roots[0], resolved.names, params, {
    blocks,
    signal: unneeded.signal,
    memory,
    limit
  })

  if (request.method === 'HEAD') {
    unneeded.abort()
    await car.bytes.return(undefined)

    return new Response(null, { headers })
  }

  return new Response(
    await openResponseBody(
      context,
      () => passInTurns(car.bytes, {
        bytes: MAX_BLOCK_SIZE,
        memory: context.init.memory,
        unneeded,
        drop: () => sending?.drop() === true
      }),
      { unneeded }
    ),
    { headers }
  )
}

/** The memory that all responses share. */
function memoryOf (
  { init: { memory } }: ResponseContext,
  unneeded: AbortController,
  send: CarMemory['send']
): CarMemory {
  return {
    send,
    readAhead: ({ bytes, revoke }) => memory.tryTake({ ...shareOfBody(bytes, unneeded), revoke }),
    hold: holdIn(memory, UNCOUNTED, unneeded)
  }
}

/**
 * Strong, as the same path and parameters always give the same bytes. It begins with the scope
 * and the range (Trustless Gateway, `dag-scope`).
 */
async function carEtag ({ resolved }: ResponseContext, { scope, bytes, dups }: CarParams): Promise<string> {
  const range = bytes == null ? '' : `${bytes.from}:${bytes.to ?? '*'}.`
  const rest = await fingerprint(resolved.roots[0].toString(), resolved.names, dups)

  return `"${scope}.${range}${unmark(resolved.cid)}.car.${rest}"`
}
