import { ipfsz, isMarked, unmark } from '@ipfsz/core'
import { Blocks } from './blocks.ts'
import { ENVELOPES } from './envelopes.ts'
import { FILES } from './files.ts'
import { HOSTILE } from './hostile.ts'
import { HOSTILE_TREES } from './hostile-trees.ts'
import { TREES } from './trees.ts'
import type { Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'
import type { Expected } from './vector.ts'

/** The files of vectors/, by name. */
export async function * makeVectors (): AsyncGenerator<[name: string, bytes: Uint8Array]> {
  for (const { name, about, make, expected } of [...FILES, ...TREES, ...HOSTILE, ...HOSTILE_TREES, ...ENVELOPES]) {
    const blocks = new Blocks()
    const cid = await make(blocks)
    const plain = isMarked(cid) ? unmark(cid) : cid
    const vector = { about, marked: cid.toString(), plain: plain.toString(), ...await withStat(cid, expected, blocks) }

    yield [`${name}.car`, await blocks.toCar(plain)]
    yield [`${name}.json`, Buffer.from(`${JSON.stringify(vector, null, 2)}\n`)]
  }
}

async function withStat (cid: CID, expected: Expected, blocks: Blocks): Promise<object> {
  return 'size' in expected && expected.atRest == null
    ? { stat: statFields(await ipfsz({ blockstore: blocks }).stat(cid)), ...expected }
    : expected
}

/** What a header says, as `stat` returns it. Of a stream without a table, not more than its codec is known. */
export function statFields (stat: Stats): object {
  const { codec, frames, frameSize, filters, base, contentCid, sizeKnown } = stat

  return sizeKnown === false
    ? { codec, sizeKnown }
    : { codec, frames, frameSize, filters, base: base?.toString(), contentCid: contentCid?.toString() }
}
