/// <reference types="vite/types/importMeta.d.ts" />
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { fromCar } from '../../../test/support/recording-blockstore.ts'
import { ipfsz, mark } from '../src/index.ts'
import { collect, CountingBlockstore } from './fixtures.ts'
import {
  DICTIONARY,
  LARGE,
  NEXT,
  PAGES,
  REPEATED,
  SHARED,
  SHARING,
  SIMILAR,
  SMALL,
  SOUND,
  SOUND_24
} from './golden/content.ts'
import type { CodecName } from '@ipfsz/codecs'

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

/** The marked CIDs in the golden file of format version 2 with bases, see golden/make-base.ts. */
const BASED = [
  ['bagc3j7ibciqntxaknrh26r7egrb7bqctcora6yzjraakrr6malnjg7gaeif3wci', NEXT, LARGE],
  ['bagc3j7ibciqlltfq4ttcvx7my5clf2vsptfz3jebyogazn4gcyfgwqntzu5as5y', SIMILAR, DICTIONARY]
] as const

/** The directory in the golden file with a dictionary, and the dictionary, see golden/make-dictionary.ts. */
const PAGES_CID = 'bagalj7ibciqda2tokxqsnzrn5evbucgj46co3jevhu7u4nfmzxwdyddpcafhkka'
const PAGES_DICTIONARY = 'bafybeidj4mxk25rvj36ouxrf4si77u2pxjpzt67tl2mg6rqv6culvo746m'

/** The same with filters, and cut by content, see golden/make-version-2.ts. */
const FILTERED = {
  zstd: 'bagc3j7ibciqodg7yirvanzqhy3at4r3phlcumtkdyzsunmwc6sib4gxcpmycpmy',
  gzip: 'baga3j7ibciqpzla6dervt3lxpmankwqwh3v6esm6nmnc5xepkz4xmis6lvwts6y',
  lz4: 'bagblj7ibciqjmpyk6aavmuh3titlj2btbn4ondobelvxc3jsbnamewxfmgho5aq',
  brotli: 'bagdlj7ibciqjeuoua2hqwycb7pdsjna4o3mdt2wu7vkg5ks4hoqlq2wnbtclvrq',
  snappy: 'bagclj7ibciqaeeos4z7gdo2ratog6s6miasxumawozq2dl3qmthxpboxyhuxxwy',
  lzo: 'bagb3j7ibciqon2kkotszsyxbkhr7uiqf6gr2seyva4e376jwa7ezesgzgttdahq'
}
const CUT = [
  ['bagc3j7ibciqdznfgxpxrw3zkgvdyywbqq7q6euzjqjy3kdokrkbnvonhfy7kxcq', SHARED],
  ['bagc3j7ibciqpxewu4ogla26uaj76p2vbjzo5wjw3ubhks6zcgrboqd4ltx5ucsq', SHARING]
] as const
/** The same, cut by content, in the other codecs. */
const CUT_IN = {
  gzip: 'baga3j7ibciqdk33hjt33jhqm7nhla6lcv4fsvqdlhoptozfnpmqywmsdgwsxiqq',
  lz4: 'bagblj7ibciqegohgg5ptgloibdgaeek54og6mcmkndk55qvom3wxn3w3axbkf4y',
  brotli: 'bagdlj7ibciqaft2pqb2j3lfwbbcj5l5iulipduzseu3e4hzswvuk4or5jhilbyi',
  snappy: 'bagclj7ibciqbgivcpxk7qt36ylk6wmaw7ckzvkd4vw2d2hiw3qdreypcwfnw3yy',
  lzo: 'bagb3j7ibciqhkwteju6cfwjxiy64fsmy4yikwqwsqy3wcxj6ed5xfca7g6tq2ny'
}

/** The same with frames in groups (golden/make-groups.ts too), and filters of three bytes: make-version-2-more.ts. */
const GROUPED = [
  ['groups', 'zstd', 'bagc3j7ibciqg5nr4wyok5st7trqzkge7wenjsymq44ns2cfhd6kem3obaytvwma'],
  ['groups', 'lz4', 'bagblj7ibciqfta2uy5oziaq5u3elpolpqbq5f4xwd4xzdztnc5icpjngwasbkuy'],
  ['groups-codecs', 'gzip', 'baga3j7ibciqmtyqkmrmphxjpzikua7lzhradi7gukq7jru3a4uzfbwgvne22dkq'],
  ['groups-codecs', 'brotli', 'bagdlj7ibciqj4rq3t5zqp2kklfpgtdfu4d5imjm2w7eoaarzxmivn7m4v5574fa'],
  ['groups-codecs', 'snappy', 'bagclj7ibciqpkbd4qh43qup3gkv4ye3tbx3kv5qqdozbk5zayfq5hkigevxfszi'],
  ['groups-codecs', 'lzo', 'bagb3j7ibciqhswwjcnr7mxobmjgh2usuicicctb7ihjdp762ddjebrs4k3i4zsq']
] as const
/** The same with a base, and frames in groups, see golden/make-region-table.ts. */
const REGION_TABLE = 'bagc3j7ibciqigycyhlhez2jbaneypsnl4hhtqefkwjfo2vmodataija2tbdb4yi'
const FILTERED_24 = 'bagc3j7ibciqlna4bwykubsezzcybbx5oykojljp3mbupogjw2h76jmmx2n5uxby'
/** The same before version 2 was released, when frames with filters were not sealed. */
const UNSEALED = 'bagc3j7ibciqaprf3oddoigc255aop4woo4twmvwdvyv2hycmcxrjmsuau2l35pi'

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

describe('the golden file with bases, format version 2,', () => {
  it.each(BASED)('holds a readable file and its base: %s', async (text, bytes, baseBytes) => {
    const car = new Uint8Array(await (await fetch(FILES['./golden/base.car'])).arrayBuffer())
    const fs = ipfsz({ blockstore: await fromCar(car) })
    const cid = CID.parse(text)
    const { base } = await fs.stat(cid)

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(Buffer.compare(await collect(fs.cat(cid, { offset: 3000, length: 1000 })), bytes.subarray(3000, 4000)))
      .toBe(0)
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(bytes.byteLength) })
    // a small plain base is a raw block
    const readable = base?.code === 0x70 ? mark(base, 'zstd') : base
    expect(Buffer.compare(await collect(fs.cat(readable as CID)), baseBytes)).toBe(0)
  })
})

describe('the golden file with a base and a region table, format version 2,', () => {
  it('holds a readable file and its base', async () => {
    const fs = await load('region-table')
    const cid = CID.parse(REGION_TABLE)
    const { base, frames } = await fs.stat(cid)

    expect(frames).toBe(4)
    expect(Buffer.compare(await collect(fs.cat(cid)), NEXT)).toBe(0)
    expect(Buffer.compare(await collect(fs.cat(cid, { offset: 131_000, length: 99 })), NEXT.subarray(131_000, 131_099)))
      .toBe(0)
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(NEXT.byteLength) })
    expect(Buffer.compare(await collect(fs.cat(mark(base as CID, 'zstd'))), LARGE)).toBe(0)
  })
})

describe('the golden file with a dictionary, format version 2,', () => {
  it('holds a directory of readable files and their dictionary', async () => {
    const fs = await load('dictionary')
    const cid = CID.parse(PAGES_CID)

    for (const [i, page] of PAGES.entries()) {
      const path = `${i}.html`

      expect(Buffer.compare(await collect(fs.cat(cid, { path })), page)).toBe(0)
      expect((await fs.stat(cid, { path })).base?.toString()).toBe(PAGES_DICTIONARY)
    }

    await expect(fs.verify(cid)).resolves.toMatchObject({ files: 6 })
    const dictionary = await fs.stat(mark(CID.parse(PAGES_DICTIONARY), 'zstd'), { extended: true })
    expect(dictionary).toMatchObject({ frames: 1, blocks: 1n })
  })
})

async function load (name: string): Promise<ReturnType<typeof ipfsz>> {
  return ipfsz({
    blockstore: await fromCar(new Uint8Array(await (await fetch(FILES[`./golden/${name}.car`])).arrayBuffer()))
  })
}

describe('the golden files without bases, format version 2,', () => {
  it.each(Object.entries(FILTERED))('hold a readable file of %s with filters', async (codec, text) => {
    const fs = await load('filters')
    const cid = CID.parse(text)

    expect(Buffer.compare(await collect(fs.cat(cid)), SOUND)).toBe(0)
    expect(Buffer.compare(await collect(fs.cat(cid, { offset: 65_530, length: 11 })), SOUND.subarray(65_530, 65_541)))
      .toBe(0)
    expect(await fs.stat(cid)).toMatchObject({ codec, frames: 2, filters: expect.any(Array) })
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: BigInt(SOUND.byteLength) })
  })

  it.each(Object.entries(FILTERED))('hold what adding a file with filters makes: %s', async (codec, text) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { deterministic: true })
    const compression = { codec: codec as CodecName, frameSize: 64 * 1024, detect: false }

    expect((await fs.addBytes(SOUND, { compression })).toString()).toBe(text)
  })

  it('refuse the form of filters whose frames were not sealed', async () => {
    const fs = await load('unsealed')

    const cid = CID.parse(UNSEALED)

    for (const reading of [fs.stat(cid), fs.verify(cid), collect(fs.cat(cid))]) {
      await expect(reading).rejects.toMatchObject({ name: 'InvalidHeaderError', rule: 'filters' })
    }
  })

  it.each(CUT)('hold a readable file that is cut by content: %s', async (text, bytes) => {
    const fs = await load('cut')
    const cid = CID.parse(text)

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(Buffer.compare(await collect(fs.cat(cid, { offset: 299_990, length: 9 })), bytes.subarray(299_990, 299_999)))
      .toBe(0)
    expect(await fs.stat(cid)).toMatchObject({ frameSize: 256 * 1024, size: BigInt(bytes.byteLength) })
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(bytes.byteLength) })
  })

  it.each(Object.entries(CUT_IN))('hold a readable file of %s that is cut by content', async (codec, text) => {
    const fs = await load('cut-codecs')
    const cid = CID.parse(text)

    expect(Buffer.compare(await collect(fs.cat(cid)), REPEATED)).toBe(0)
    const part = await collect(fs.cat(cid, { offset: 100_000, length: 200_000 }))
    expect(Buffer.compare(part, REPEATED.subarray(100_000, 300_000))).toBe(0)
    expect(await fs.stat(cid)).toMatchObject({ codec, frames: 2, frameSize: 256 * 1024 })
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(REPEATED.byteLength) })
  })

  it.each(GROUPED)('hold a readable file whose frames are in groups: %s, %s', async (file, codec, text) => {
    const fs = await load(file)
    const cid = CID.parse(text)

    expect(Buffer.compare(await collect(fs.cat(cid)), LARGE)).toBe(0)
    const part = await collect(fs.cat(cid, { offset: 131_000, length: 99 }))
    expect(Buffer.compare(part, LARGE.subarray(131_000, 131_099))).toBe(0)
    expect(await fs.stat(cid)).toMatchObject({ codec, frames: 4, frameSize: 64 * 1024 })
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(LARGE.byteLength) })
  })

  it('hold a readable file with filters of three bytes', async () => {
    const fs = await load('filters-24')
    const cid = CID.parse(FILTERED_24)

    expect(Buffer.compare(await collect(fs.cat(cid)), SOUND_24)).toBe(0)
    const part = await collect(fs.cat(cid, { offset: 65_530, length: 11 }))
    expect(Buffer.compare(part, SOUND_24.subarray(65_530, 65_541))).toBe(0)
    expect((await fs.stat(cid)).filters?.map(({ width }) => width)).toContain(3)
  })
})
