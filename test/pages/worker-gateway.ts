import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { listen } from '../support/listen.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { MemoryBlockstore } from 'blockstore-core'
import type { CID } from 'multiformats/cid'

/** How a gateway answers: rightly, or with what else a worker may meet. */
export type Manner = 'right' | 'wrong bytes' | 'a page' | 'not found' | 'broken off' | 'silence'

/** A trustless gateway on loopback that does not know IPFSz, and can misbehave. */
export interface TestGateway {
  url: string
  manner: Manner
  /** The requests so far: path and query. */
  asked: string[]
  /** Stop after sending so many bytes, until the function that this returns is called. */
  hold: (after: number) => () => void
  close: () => Promise<void>
}

export async function startTestGateway (blocks: MemoryBlockstore): Promise<TestGateway> {
  const fs = ipfsz({ blockstore: blocks })
  const gateway = createGateway({ fs, blocks }, { trustlessHosts: ['127.0.0.1'] })
  let held: Held | undefined

  const answer = async (request: Request): Promise<Response> => {
    test.asked.push(new URL(request.url).pathname + new URL(request.url).search)

    if (test.manner === 'silence') {
      return new Promise(() => {})
    }

    const response = await gateway(request)

    return held == null ? misbehave(response, test.manner) : heldBack(response, held)
  }

  const { port, close } = await listen(createNodeServer(answer))
  const test: TestGateway = {
    url: `http://127.0.0.1:${port}/`,
    manner: 'right',
    asked: [],
    hold (after) {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = { left: after, released: promise }

      return () => {
        held = undefined
        resolve()
      }
    },
    close
  }

  return test
}

interface Held {
  /** Bytes that all responses together may still send. */
  left: number
  released: Promise<void>
}

function misbehave (response: Response, manner: Exclude<Manner, 'silence'>): Response {
  const { status, headers } = response

  switch (manner) {
    case 'right':
      return response
    case 'wrong bytes':
      return new Response(response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
        transform (chunk, controller) { controller.enqueue(chunk.map((byte, i) => i % 100 === 99 ? byte ^ 1 : byte)) }
      })), { status, headers })
    case 'a page':
      return new Response('<!doctype html><title>Welcome</title>', {
        headers: { 'content-type': 'text/html', 'access-control-allow-origin': '*' }
      })
    case 'not found':
      return new Response('there is none', { status: 404, headers: { 'access-control-allow-origin': '*' } })
    case 'broken off':
      return new Response(new ReadableStream({
        start (controller) { controller.error(new Error('broken off')) }
      }), { headers })
  }
}

function heldBack (response: Response, held: Held): Response {
  const { status, headers } = response

  return new Response(response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
    async transform (chunk, controller) {
      const now = chunk.subarray(0, held.left)
      held.left -= now.byteLength
      controller.enqueue(now)

      if (now.byteLength < chunk.byteLength) {
        await held.released
        held.left = Number.POSITIVE_INFINITY
        controller.enqueue(chunk.subarray(now.byteLength))
      }
    }
  })), { status, headers })
}

/** Add a tree, every file compressed with zstd. */
export async function addSite (fs: Ipfsz, files: Readonly<Record<string, Uint8Array | string>>): Promise<CID> {
  const source = Object.entries(files).map(([path, content]) => ({
    path: `site/${path}`,
    content: typeof content === 'string' ? new TextEncoder().encode(content) : content
  }))
  const added = await Array.fromAsync(
    fs.addAll(source, { compression: { codec: 'zstd', detect: false, frameSize: 262_144 } })
  )

  return added[added.length - 1].cid
}
