import { openBody } from './body.ts'
import { reportFailure } from './error.ts'
import type { BodyInit } from './body.ts'
import type { ResponseContext } from './context.ts'

/** Open a body with the limits of the gateway. Its later failures are reported. */
export async function openResponseBody (
  { request, signal, init }: ResponseContext,
  read: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  bounds: Pick<BodyInit, 'length' | 'limit' | 'unneeded'>
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  return openBody(read, {
    ...bounds,
    signal,
    stallTimeout: init.limits.stallTimeout,
    onFailure: err => { reportFailure(err, request, init) }
  })
}
