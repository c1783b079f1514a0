/// <reference types="vite/types/importMeta.d.ts" />
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { fromCar } from '../../../test/support/recording-blockstore.ts'
import { ipfsz } from '../src/index.ts'
import { collect } from './fixtures.ts'
import { LARGE, SMALL } from './golden/content.ts'

/** The marked CIDs in the golden files of format version 1, see golden/make.ts. */
const CIDS = {
  zstd: [
    'bagc3j7ibciqf42q3mpa5god4mtuap7mhc74opbwk2gmsbznewwhdmyb4eozgmji',
    'bagc3j7ibciqee5q4sdammjqrbhwxecrzjqvuux2m6txmk232dll5qz2aajou2oq'
  ],
  gzip: [
    'baga3j7ibciqenccezb7yqkifrgi6vqqsfdzjqjaz5gpe3uly54qzsxpqxla7egy',
    'baga3j7ibciqfgbglodotjrqedtegbqoniyluv3ugu67hnwgi7noek3rsrdq43ki'
  ],
  lz4: [
    'bagblj7ibciqinxnd2iovnljwmpjbnv4kee6mvvxnkj6koym4wb7srwgb6kybn5i',
    'bagblj7ibciqfylcf4latukp4mziry7gp3lhwffhcehzzohlytkfpxk2dixtu2kq'
  ],
  brotli: [
    'bagdlj7ibciqcp7a2mljgyb3lbaruvhybxyqghqasucaygsnagw2e6mcsgpdlwna',
    'bagdlj7ibciqf6hnv4dyqshk2lit2ph2r4wtkk7tfh4fx4s3svqys5enaozkjy4q'
  ],
  snappy: [
    'bagclj7ibciqeejbsrqpmlecdpzy6hqmeiktfrfiqaknowcz7djl4fwvrktwat2y',
    'bagclj7ibciqdmlkhqvkqetvyr5j5yljwrptipskyi4j7pqs6ubxm2nnfvagf3jy'
  ],
  lzo: [
    'bagb3j7ibciql5awummtcnlkvomxju4gyojfnh2yoge5tvxyy3kpvqdhetlb7poq',
    'bagb3j7ibciqcu67of5gv3e423chi3iyziilridz6vbm56ycyrgm3gdygbxxtlta'
  ]
}

/** The golden files as data: URLs, which browsers read too. */
const FILES = import.meta.glob<string>('./golden/*.car', { query: '?url&inline', import: 'default', eager: true })

describe.each(Object.entries(CIDS))('the golden file of %s, format version 1,', (codec, [small, large]) => {
  const loading = (async () => ipfsz({
    blockstore: await fromCar(new Uint8Array(await (await fetch(FILES[`./golden/${codec}.car`])).arrayBuffer()))
  }))()

  it('holds a readable small file in its root', async () => {
    const fs = await loading
    const cid = CID.parse(small)

    expect(Buffer.compare(await collect(fs.cat(cid)), SMALL)).toBe(0)
    expect(await fs.stat(cid, { extended: true })).toMatchObject({ codec, size: 5000n, frames: 1, blocks: 1n })
  })

  it('holds a readable file of four frames in a leaf', async () => {
    const fs = await loading
    const cid = CID.parse(large)

    expect(Buffer.compare(await collect(fs.cat(cid)), LARGE)).toBe(0)
    expect(
      Buffer.compare(await collect(fs.cat(cid, { offset: 131_000, length: 1000 })), LARGE.subarray(131_000, 132_000))
    ).toBe(0)
    expect(await fs.stat(cid, { extended: true })).toMatchObject(
      { codec, size: 250_000n, frames: 4, frameSize: 65536, blocks: 2n }
    )
  })
})
