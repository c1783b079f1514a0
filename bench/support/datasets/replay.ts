import { ipfsz } from '@ipfsz/core'
import { GatewayPool, HttpSource } from '@ipfsz/core/http'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { MemoryBlockstore } from 'blockstore-core'
import { listen } from '../loopback.ts'
import { shapedProxy } from '../shaped-proxy.ts'
import type { Link } from '../links.ts'
import type { ShapedProxy } from '../shaped-proxy.ts'
import type { CID } from 'multiformats/cid'

/** Bytes that a reader asks for at a time. */
export interface Part {
  offset: number
  length: number
}

/** What a reader asks for, one part after the other. */
export interface Reading {
  what: string
  parts: readonly Part[]
}

/** What a reading took. */
export interface Replayed {
  milliseconds: number
  requests: number
  /** Bytes that came over the link. */
  bytes: number
}

/** What a reader may have read ahead, in bytes: as much as the service worker. */
const READ_AHEAD = 8 * 1024 * 1024

/** A gateway behind a slow link, and readers that have nothing yet. */
export class SlowGateway {
  readonly #proxy: ShapedProxy
  readonly #close: () => Promise<void>
  readonly #asked: () => number

  private constructor (proxy: ShapedProxy, asked: () => number, close: () => Promise<void>) {
    this.#proxy = proxy
    this.#asked = asked
    this.#close = close
  }

  static async start (blocks: MemoryBlockstore, link: Link): Promise<SlowGateway> {
    const gateway = createGateway({ fs: ipfsz({ blockstore: blocks }), blocks })
    let asked = 0
    const server = createNodeServer(async request => {
      asked++

      return gateway(request)
    })
    const proxy = await shapedProxy({ target: await listen(server), ...link })

    return new SlowGateway(proxy, () => asked, async () => {
      await proxy.close()
      await new Promise(resolve => { server.close(resolve) })
    })
  }

  /** Read as the service worker does: each part with what is kept of those before it. */
  async replay (cid: CID, { parts }: Reading): Promise<Replayed> {
    const source = new HttpSource({
      root: cid,
      plan: { path: '', scope: 'block' },
      pool: new GatewayPool([`http://127.0.0.1:${this.#proxy.port}`])
    })
    const fs = ipfsz({ blockstore: new MemoryBlockstore(), sources: [source] }, {
      inFlightBytes: READ_AHEAD,
      fetch: { maxBytes: READ_AHEAD }
    })
    const [asked, { down }, start] = [this.#asked(), this.#proxy.traffic(), performance.now()]

    for (const part of parts) {
      let length = 0

      for await (const bytes of fs.cat(cid, part)) {
        length += bytes.byteLength
      }

      if (length !== part.length) {
        throw new Error(`${length} bytes were read instead of ${part.length}`)
      }
    }

    const milliseconds = performance.now() - start
    source.close()

    return {
      milliseconds,
      requests: this.#asked() - asked,
      bytes: this.#proxy.traffic().down - down
    }
  }

  async close (): Promise<void> {
    await this.#close()
  }
}
