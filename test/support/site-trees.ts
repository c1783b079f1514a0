/** Two releases of a small site, and the CIDs of their compressed files: the same on every platform. */
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { noise, text } from './data.ts'
import type { CID } from 'multiformats/cid'

type Files = Readonly<Record<string, Uint8Array>>

const APP = joined(noise(60_000), text(40_000))
const LIBRARY = text(1_500_000)

export const SITE: { first: Files, second: Files } = {
  first: {
    'assets/app-1a2b3c4d.js': APP,
    'assets/library.js': LIBRARY,
    'index.html': new TextEncoder().encode('<!doctype html><script src="assets/app-1a2b3c4d.js"></script>')
  },
  second: {
    'assets/app-5e6f7a8b.js': joined(APP.subarray(0, 50_000), text(100, 7), APP.subarray(50_010)),
    'assets/library.js': joined(LIBRARY.subarray(0, 1_100_000), text(500, 9), LIBRARY.subarray(1_100_000)),
    'index.html': new TextEncoder().encode('<!doctype html><script src="assets/app-5e6f7a8b.js"></script>')
  }
}

/** The file of the first release that one of the second has as its base. */
const BASES: Readonly<Record<string, string>> = { 'assets/app-5e6f7a8b.js': 'assets/app-1a2b3c4d.js' }

/** They only change if the frames of releases are meant to change. */
export const SITE_TREES = {
  first: 'bagalj7ibciqpne4ujicscojadvxch5zbdz7i42m7qdzkygb6le25wnc63oodn3i',
  second: 'bagalj7ibciqcub74n4vg2eatvkhzgy63fpi3n2srvqszoqahws2wxsm4srncj4i'
}

/** Add both releases with the options of `publishSite`. */
export async function addSiteTrees (): Promise<Record<keyof typeof SITE_TREES, string>> {
  const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { deterministic: true })
  const compression = {
    codec: 'zstd', level: 19, frameSize: 1024 * 1024, basedFrameSize: 8 * 1024 * 1024
  } as const
  const add = async (files: Files, base?: (path?: string) => Promise<CID | undefined>): Promise<CID> => {
    let root: CID | undefined

    for await (const { cid } of fs.addAll(
      Object.entries(files).map(([path, content]) => ({ path: `site/${path}`, content })),
      { compression: { ...compression, ...base == null ? {} : { base } } }
    )) {
      // the root comes last
      root = cid
    }

    return root as CID
  }
  const first = await add(SITE.first)
  const second = await add(SITE.second, async (path = '') => {
    const name = path.replace(/^site\//, '')

    return (await fs.stat(first, { path: BASES[name] ?? name })).cid
  })

  return { first: first.toString(), second: second.toString() }
}

function joined (...parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let at = 0

  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }

  return bytes
}
