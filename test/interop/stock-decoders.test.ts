/**
 * What stock tools make of the stored stream of a file, its plain twin: the original, or an error. docs/codecs.md has
 * the table, with libraries that are not run here.
 */
import { allCodecs } from '@ipfsz/codecs/all'
import { ipfsz, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { noise, same, text } from '../support/data.ts'
import { DECODERS } from './stock/decoders.ts'
import { serveStreams } from './stock/serve-streams.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'
import type { Browser, Page } from 'playwright'
import type { Decoder, Outcome } from './stock/decoders.ts'
import type { StreamServer } from './stock/serve-streams.ts'

const FRAME_SIZE = 64 * 1024

const TEXT = text(300_000)

/** Numbers from which every codec gains if they are rearranged. */
const NUMBERS = new Uint8Array(
  Int16Array.from({ length: 120_000 }, (_, i) => Math.abs(i * 37 % 20_000 - 10_000)).buffer
)

/** Files that share a dictionary: most of each is in all of them. */
const PAGES = Array.from({ length: 6 }, (_, i) => ({
  path: `site/${i}.html`,
  content: Buffer.concat([Buffer.from(Buffer.from(noise(1500)).toString('hex')), text(400 + 31 * i, i + 2)])
}))

interface Sample {
  original: Uint8Array
  stream: Uint8Array
}

const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: allCodecs() })

let browser: Browser
let page: Page
let server: StreamServer

beforeAll(async () => {
  [server, browser] = await Promise.all([
    serveStreams(),
    chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })
  ])
  page = await browser.newPage()
  await page.goto(server.url)
})

afterAll(async () => {
  await browser.close()
  await server.close()
})

describe.each(Object.entries(DECODERS))('the stored stream of a file of %s', (name, decoders) => {
  const codec = name as CodecName
  const options = { codec, level: codec === 'brotli' ? 4 : undefined, detect: false }
  const many = { ...options, frameSize: FRAME_SIZE }
  const cut = { ...options, cut: 'content' as const }
  let samples: Readonly<Record<string, Sample>>

  beforeAll(async () => {
    const add = async (original: Uint8Array, compression: typeof options): Promise<CID> =>
      fs.addBytes(original, { compression })
    const sample = async (original: Uint8Array, compression: typeof options): Promise<Sample> =>
      ({ original, stream: await stored(await add(original, compression)) })

    expect((await fs.stat(await add(NUMBERS, many))).filters).toBeDefined()
    samples = {
      'one frame': await sample(TEXT, options),
      'several frames': await sample(TEXT, many),
      'cut by content': await sample(TEXT, cut),
      filters: await sample(NUMBERS, options),
      'several frames with filters': await sample(NUMBERS, many)
    }
  })

  it.each(decoders)('is the original, or an error: $name', async decoder => {
    expect(await outcomes(decoder, samples)).toEqual({
      'one frame': 'original',
      'several frames': decoder.ofMany ?? 'original',
      'cut by content': decoder.ofCut ?? decoder.ofMany ?? 'original',
      filters: 'error',
      'several frames with filters': 'error'
    })
  })
})

describe('the stored stream of a file with a base or a dictionary', () => {
  let samples: Readonly<Record<string, Sample>>

  beforeAll(async () => {
    const base = await fs.addBytes(TEXT)
    const plain = await fs.addBytes(noise(300_000))
    const sample = async (original: Uint8Array, base: CID, frameSize?: number): Promise<Sample> => {
      const cid = await fs.addBytes(original, { compression: { codec: 'zstd', base, frameSize } })
      expect((await fs.stat(cid)).base).toBeDefined()

      return { original, stream: await stored(cid) }
    }
    const edited = Buffer.concat([TEXT.subarray(0, 100_000), text(500, 3), TEXT.subarray(100_200)])
    const added = await Array.fromAsync(fs.addAll(PAGES, { compression: { dictionaries: 'auto' } }))
    const [{ cid }] = added
    expect((await fs.stat(cid)).base).toBeDefined()

    samples = {
      'one frame': await sample(edited, base),
      'several frames': await sample(edited, base, FRAME_SIZE),
      'a base that is not compressed': await sample(Buffer.concat([noise(200_000), text(99)]), plain),
      'all of the base': await sample(TEXT.subarray(0, 200_000), base),
      'a dictionary': { original: PAGES[0].content, stream: await stored(cid) }
    }
  })

  it.each(DECODERS.zstd)('is an error: $name', async decoder => {
    expect(await outcomes(decoder, samples)).toEqual(
      Object.fromEntries(Object.keys(samples).map(kind => [kind, 'error']))
    )
  })
})

async function stored (cid: CID): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(fs.cat(unmark(cid))))
}

async function outcomes (
  decoder: Decoder,
  samples: Readonly<Record<string, Sample>>
): Promise<Record<string, Outcome>> {
  const results: Record<string, Outcome> = {}

  for (const [kind, sample] of Object.entries(samples)) {
    results[kind] = await outcome(decoder, sample)
  }

  return results
}

async function outcome ({ decode }: Decoder, { original, stream }: Sample): Promise<Outcome> {
  let bytes: Uint8Array

  try {
    bytes = await decode(stream, { page, server })
  } catch {
    return 'error'
  }

  if (same(bytes, original)) {
    return 'original'
  }

  const isBeginning = bytes.byteLength > 0 && same(bytes, original.subarray(0, bytes.byteLength))

  return isBeginning ? 'first frame' : 'other bytes'
}
