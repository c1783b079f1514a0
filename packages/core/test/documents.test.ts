import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { MemoryBlockstore } from 'blockstore-core'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { followDocument, ipfsz, unmark } from '../src/index.ts'

const LINK = CID.parse('bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu')
const V0 = CID.parse('QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n')
const TINY = CID.parse('bafkqaaa')
const DOCUMENTS = [
  ['DAG-CBOR', dagCbor, CID.createV1(dagCbor.code, LINK.multihash)],
  ['DAG-JSON', dagJson, CID.createV1(dagJson.code, LINK.multihash)]
] as const

/** The same answer, by decoding the whole document. */
function follow (decode: (block: Uint8Array) => unknown, block: Uint8Array, names: readonly string[]): unknown {
  let value: unknown

  try {
    value = decode(block)
  } catch {
    return 'invalid'
  }

  for (const [used, name] of names.entries()) {
    if (value instanceof CID) {
      return { cid: value, used }
    }

    const has = Array.isArray(value)
      ? /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < value.length
      : typeof value === 'object' && value != null && !(value instanceof Uint8Array) && Object.hasOwn(value, name)

    if (!has) {
      return { missing: name }
    }

    value = (value as Record<string, unknown>)[name]
  }

  return value instanceof CID ? { cid: value, used: names.length } : 'value'
}

async function answer (cid: CID, block: Uint8Array, names: readonly string[]): Promise<unknown> {
  try {
    return await followDocument(cid, block, names, async () => {})
  } catch (err) {
    expect(err).toMatchObject({ name: 'InvalidDagError' })

    return 'invalid'
  }
}

const KEY = fc.oneof(
  fc.constantFrom('a', 'b', 'length', '0', '1', '/', 'bytes', 'ä', '\ufeffa', '"', '\\', '\0'),
  fc.constantFrom('constructor', 'x'.repeat(40)),
  fc.string({ maxLength: 4, unit: 'binary' })
)

const { value: VALUE } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(LINK, V0, TINY),
    fc.oneof(fc.integer(), fc.string({ maxLength: 5 }), fc.constant(null), fc.boolean(), fc.maxSafeInteger()),
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.uint8Array({ maxLength: 30 })),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(KEY, tie('value'), { maxKeys: 5 })
  )
}))

/** Paths of which many exist in a value. */
function pathsOf (value: unknown): fc.Arbitrary<string[]> {
  const found: string[][] = [[]]
  const visit = (at: unknown, names: string[]): void => {
    if (typeof at === 'object' && at != null && !(at instanceof Uint8Array) && !(at instanceof CID)) {
      for (const [name, below] of Object.entries(at)) {
        found.push([...names, name])
        visit(below, [...names, name])
      }
    }
  }

  visit(value, [])

  const more = fc.array(KEY, { maxLength: 2 })

  return fc.tuple(fc.constantFrom(...found), more).map(([names, more]) => [...names, ...more])
}

const CASE = VALUE.chain(value => fc.tuple(fc.constant(value), pathsOf(value)))

describe.each(DOCUMENTS)('a path in a document of %s', (_, codec, cid) => {
  it('leads where it leads in the decoded document', { tags: 'slow' }, async () => {
    await fc.assert(fc.asyncProperty(CASE, async ([value, names]) => {
      let block: Uint8Array

      try {
        block = codec.encode(value)
      } catch {
        // DAG-JSON reserves some maps with the key `/`
        return
      }

      expect(await answer(cid, block, names)).toEqual(follow(codec.decode, block, names))
    }), { numRuns: 1000 })
  })
})

describe('a document of DAG-CBOR', () => {
  const [, , cid] = DOCUMENTS[0]

  it('is refused if and only if its decoder refuses it, whichever part is damaged', { tags: 'slow' }, async () => {
    const change = fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('set', 'insert', 'remove'))

    const many = fc.array(change, { minLength: 1, maxLength: 3 })

    await fc.assert(fc.asyncProperty(CASE, many, async ([value, names], changes) => {
      let bytes: number[]

      try {
        bytes = [...dagCbor.encode(value)]
      } catch {
        // a map that looks like a CID
        return
      }

      for (const [at, byte, what] of changes) {
        bytes.splice(at % (bytes.length + 1), what === 'insert' ? 0 : 1, ...what === 'remove' ? [] : [byte])
      }

      const block = Uint8Array.from(bytes)
      expect(await answer(cid, block, names)).toEqual(follow(dagCbor.decode, block, names))
    }), { numRuns: 3000 })
  })

  it.each([
    ['nothing', ''],
    ['two items', '0101'],
    ['a list of indefinite length', '9f01ff'],
    ['text of indefinite length', '7f6161ff'],
    ['a break', 'ff'],
    ['a number that is too long', '1801'],
    ['a length that is too long', '5801aa'],
    ['a list that is longer than the block', '9b001fffffffffffff'],
    ['a list of 2^53 and more', '9b0020000000000000'],
    ['a key that is a number', 'a10101'],
    ['a key that is a link', 'a1d82a450001550000f6'],
    ['the same key twice, in order', 'a2616101616102'],
    ['the same key twice, with others between', 'a361610161620261610'.concat('3')],
    ['the same key twice after damaged UTF-8', 'a261ff0161fe02'],
    ['NaN', 'f97e00'],
    ['another NaN', 'f97e01'],
    ['infinity', 'fb7ff0000000000000'],
    ['a half float', 'f93c00'],
    ['a single float', 'fa3f800000'],
    ['undefined', 'f7'],
    ['another simple value', 'f0'],
    ['a simple value of two bytes', 'f820'],
    ['another tag', 'c101'],
    ['a link that is text', 'd82a6100'],
    ['a link without a prefix', 'd82a4401550000'],
    ['an empty link', 'd82a40'],
    ['a link with bytes after it', 'd82a46000155000000'],
    ['a link of version 2', 'd82a450002550000'],
    ['a link of version 0 in the form of 1', 'd82a450000700000'],
    ['a tiny link', 'd82a450001550000'],
    ['a link in a link', 'd82ad82a450001550000'],
    ['keys out of order', 'a262616101616202'],
    ['a byte order mark before the same key', 'a264efbbbf6101616102'],
    ['the largest number', '1bffffffffffffffff']
  ])('of %s is what it was for its decoder', async (_, hex) => {
    const block = Uint8Array.from(Buffer.from(hex, 'hex'))

    for (const names of [[], ['a'], ['0']]) {
      expect(await answer(cid, block, names)).toEqual(follow(dagCbor.decode, block, names))
    }
  })

  it('is followed through many levels, and without decoding what is beside the path', async () => {
    const link = [0xd8, 0x2a, 0x45, 0x00, 0x01, 0x55, 0x00, 0x00]
    const items = 500_000
    const deep = Uint8Array.from([...Array.from({ length: 10_000 }, () => 0x81), ...link])
    const wide = Uint8Array.from([
      0xa2, 0x61, 0x61, ...link, 0x61, 0x62, 0x9a, items >>> 24, items >> 16 & 255, items >> 8 & 255, items & 255,
      ...new Uint8Array(items).fill(0xa0)
    ])

    expect(await answer(cid, deep, Array.from({ length: 10_000 }, () => '0'))).toMatchObject({ used: 10_000 })
    expect(await answer(cid, Uint8Array.of(0x81, ...deep), [])).toBe('invalid')
    expect(await answer(cid, wide, ['a'])).toEqual({ cid: TINY, used: 1 })
  })
})

describe('a document of DAG-JSON', () => {
  const [, , cid] = DOCUMENTS[1]

  it.each([
    ['bytes', '{"/":{"bytes":"AAAA"}}', ['/']],
    ['a link with spaces', ` { "a" :\n{ "/" : "${TINY}" } } `, ['a', 'b']],
    ['an escaped key', `{"\\u0061\\/":{"/":"${TINY}"}}`, ['a/']],
    ['brackets in strings', `{"x":"]}\\"{","a":[1,{"/":"${TINY}"}]}`, ['a', '1']],
    ['a key twice', '{"a":1,"a":2}', ['a']],
    ['no end', '{"a":[1,2}', ['a']],
    ['nothing', '', []],
    ['a string without an end', '{"a', ['a']],
    ['more behind it', '{} 1', ['a']],
    ['an empty list', '[]', ['0']],
    ['a number', '12', []],
    ['a link that is none', '{"a":{"/":"x"}}', ['a']]
  ])('of %s is what it was for its decoder', async (_, json, names) => {
    const block = new TextEncoder().encode(json)

    expect(await answer(cid, block, names)).toEqual(follow(dagJson.decode, block, names))
  })
})

function keys (start: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => (start + i).toString(36).padStart(4, '0'))
}

function cborText (key: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + key.length), Buffer.from(key)])
}

describe('a large document', () => {
  /** A map of many keys of four characters, which are not in order. */
  const map = Buffer.concat([
    Buffer.of(0xba, 0, 3, 0x0d, 0x40),
    ...keys(100_000, 200_000).toReversed().flatMap(key => [cborText(key), Buffer.of(0)])
  ])
  const nested = Buffer.from('{"a":'.repeat(30) + `[${'0,'.repeat(500_000)}0]` + '}'.repeat(30))

  it.each([
    ['of DAG-CBOR with keys out of order', DOCUMENTS[0][2], map, ['none']],
    ['of DAG-JSON', DOCUMENTS[1][2], Buffer.from(JSON.stringify(Object.fromEntries(
      keys(0, 200_000).map(key => [key, 0])
    ))), ['none']],
    ['of DAG-JSON with a long list', DOCUMENTS[1][2], Buffer.from(`[${'[],'.repeat(600_000)}[]]`), ['600001']],
    ['of DAG-JSON, nested', DOCUMENTS[1][2], nested, [...Array.from({ length: 30 }, () => 'a'), 'none']]
  ])('%s is looked through in many steps, and ends when its caller says so', async (_, cid, block, names) => {
    const times: number[] = []
    const pause = async (time: number): Promise<void> => { times.push(time) }

    expect(await followDocument(cid, block, names, pause)).toEqual({ missing: names.at(-1) })
    expect(times.length).toBeGreaterThan(20)

    const stopped = new Error('enough')
    let left = 3
    await expect(followDocument(cid, block, names, async () => {
      if (left-- === 0) {
        throw stopped
      }
    })).rejects.toBe(stopped)
    expect(left).toBe(-1)
  })

  it('on a path of a file is left when the call is aborted, and nothing of it is built', async () => {
    const blockstore = new MemoryBlockstore()
    const cid = CID.createV1(dagCbor.code, await sha256.digest(map))
    await blockstore.put(cid, map)
    const fs = ipfsz({ blockstore })
    // each look at the clock finds that much time has passed
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now += 50)
    onTestFinished(() => { clock.mockRestore() })
    const controller = new AbortController()
    const reading = fs.stat(cid, { path: 'none', signal: controller.signal })
    setTimeout(() => { controller.abort() })

    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    await expect(fs.stat(cid, { path: 'none' })).rejects.toMatchObject({ name: 'BadPathError' })
    await expect(fs.stat(cid, { path: '255s' })).rejects.toMatchObject({ name: 'NotUnixFSError' })
  })

  it('says to use a marked CID that it links to, and reads a plain one', async () => {
    const blockstore = new MemoryBlockstore()
    const files = ipfsz({ blockstore })
    const file = await files.addBytes(new TextEncoder().encode('text '.repeat(1000)))
    const tree = await files.addFile({ path: 'a', content: new TextEncoder().encode('text '.repeat(1000)) })
    const block = dagCbor.encode({ file, tree, plain: unmark(file) })
    const cid = CID.createV1(dagCbor.code, await sha256.digest(block))
    await blockstore.put(cid, block)

    for (const [path, marked] of [['file', file], ['tree', tree], ['tree/a', tree]] as const) {
      await expect(files.stat(cid, { path })).rejects.toMatchObject({
        name: 'BadPathError',
        message: expect.stringContaining(`${marked}: use that CID`)
      })
    }

    await expect(files.stat(cid, { path: 'plain' })).resolves.toMatchObject({ codec: 'none' })
  })
})
