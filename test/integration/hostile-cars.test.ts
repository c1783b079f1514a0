/** @module-tag long */
import { mark, MARKERS } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { Token, Type } from 'cborg'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import {
  carOf,
  directoryBytes,
  directoryOf,
  header,
  headerOf,
  leafOf,
  linkTokens,
  rootTokens,
  section,
  varintOf,
  versionTokens
} from './cars.ts'
import { waitForBlocks } from './repo.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks } from '../support/stored-blocks.ts'
import type { CarBlock } from './cars.ts'
import type { Sandbox } from './run-cli.ts'

const MIB = 1024 * 1024
const HELLO = Buffer.from('hello')
/** In MiB, so that a reader that trusts an oversized length never ends. */
const ENDLESS = 1 << 20

/** A stream that never ends, and how many of its bytes were taken. */
function endless (start: Uint8Array): { source: AsyncIterable<Uint8Array>, taken: () => number } {
  let pieces = 0

  return {
    taken: () => pieces * MIB,
    source: (async function * () {
      yield start

      for (; pieces < ENDLESS; pieces++) {
        yield Buffer.alloc(MIB)
      }
    })()
  }
}

async function expectRefused (bytes: Uint8Array, said: string, sandbox: Sandbox): Promise<void> {
  const result = await sandbox.run(['car', 'import', '-', '--verbose'], { stdin: bytes })

  expect(result.code).toBe(1)
  expect(result.stderr).toContain('InvalidCarError')
  expect(result.stderr).toContain(said)
  expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toBe('')
}

describe.concurrent('an untrusted CAR', () => {
  it.for<[string, (root: CarBlock) => Uint8Array]>([
    ['a section of 2^40 bytes', root => Buffer.concat([header([root.cid]), varintOf(2 ** 40), root.cid.bytes])],
    [
      'a section of 8 MiB and a byte',
      root => Buffer.concat([header([root.cid]), varintOf(8 * MIB + 1), root.cid.bytes])
    ],
    ['a section length that never ends', root => Buffer.concat([header([root.cid]), Buffer.alloc(12, 0xff)])],
    [
      'a section whose CID has a digest of 2^40 bytes',
      root =>
        Buffer.concat([header([root.cid]), varintOf(100), Uint8Array.of(1, raw.code, sha256.code), varintOf(2 ** 40)])
    ],
    ['a header of 2^40 bytes', () => varintOf(2 ** 40)],
    ['a header of 8 MiB and a byte', () => varintOf(8 * MIB + 1)],
    ['an empty section', root => Buffer.concat([header([root.cid]), varintOf(0), section(root)])]
  ])('with %s is refused before it is read', async ([, make], { sandbox }) => {
    const { source, taken } = endless(make(await leafOf(HELLO)))

    expectFailure(await sandbox.run(['car', 'import', '-'], { stdin: source }), 1)

    expect(taken()).toBeLessThanOrEqual(2 * MIB)
    expect(await listBlocks(sandbox.repo)).toEqual([])
  })

  it('may have sections of 8 MiB', async ({ sandbox }) => {
    const leaf = await leafOf(noise(8 * MIB - 36))
    await sandbox.write('x.car', carOf([leaf.cid], [leaf]))

    expectSuccess(await sandbox.run(['car', 'import', 'x.car']))
    expectSuccess(await sandbox.run(['verify', leaf.cid.toString()]))
  })

  it('has large sections stored before many more are read', async ({ sandbox }) => {
    const leaves = await Promise.all([1, 2, 3, 4, 5].map(async i => leafOf(noise(8 * MIB - 36, i))))
    const source = (async function * () {
      yield carOf([leaves[0].cid], leaves)
      // 50 small blocks would be stored together
      await waitForBlocks(sandbox.repo, 3)
    })()

    expectSuccess(await sandbox.run(['car', 'import', '-'], { stdin: source }))
    expect(await listBlocks(sandbox.repo)).toHaveLength(5)
  })

  it('is read the same in pieces of any size', async ({ sandbox }) => {
    const leaves = await Promise.all([1, 2, 3].map(async i => leafOf(text(300, i))))
    const directory = await directoryOf(Object.fromEntries(leaves.map(({ cid }, i) => [`${i}`, cid])))
    const bytes = carOf([directory.cid], [directory, ...leaves])

    for (const size of [1, 2, 7, 100, bytes.byteLength]) {
      const repo = ['--repo', `repo-${size}`]
      const pieces = (async function * () {
        for (let start = 0; start < bytes.byteLength; start += size) {
          yield bytes.subarray(start, start + size)
        }
      })()

      expectSuccess(await sandbox.run(['car', 'import', '-', ...repo], { stdin: pieces }))
      expectSuccess(await sandbox.run(['verify', directory.cid.toString(), ...repo]))
    }
  })

  it('with two roots that it lists 50,000 times each has two roots', async ({ sandbox }) => {
    const leaf = await leafOf(HELLO)
    const directory = await directoryOf({ hello: leaf.cid })
    const roots = Array.from({ length: 50_000 }, () => [leaf.cid, directory.cid]).flat()

    const result = await sandbox.run(['car', 'import', '-', '--json'], { stdin: carOf(roots, [leaf, directory]) })

    expectSuccess(result)
    expect(parseLines(result.stdout).map(({ cid }) => cid)).toEqual([leaf.cid.toString(), directory.cid.toString()])
  })

  it('with more than 65,536 roots is refused', async ({ sandbox }) => {
    const roots = Array.from(
      { length: 65_537 },
      (_, i) => CID.createV1(raw.code, identity.digest(Uint8Array.of(i & 255, i >> 8 & 255, i >> 16)))
    )

    await expectRefused(carOf(roots, []), '65536', sandbox)
  })

  it('with an invalid header is refused', async ({ sandbox }) => {
    const { cid } = await leafOf(HELLO)
    const cidBytes = Buffer.concat([Uint8Array.of(0), cid.bytes])
    const [one, two] = [1, 2].map(size => new Token(Type.map, size))

    for (const tokens of [
      [two, ...rootTokens(linkTokens(cidBytes)), ...versionTokens(9)],
      [one, ...versionTokens(1)],
      [one, ...rootTokens(linkTokens(cidBytes))],
      [two, ...rootTokens(), ...versionTokens(1)],
      [two, ...rootTokens([new Token(Type.uint, 1)]), ...versionTokens(1)],
      [two, ...rootTokens(linkTokens(cid.bytes)), ...versionTokens(1)],
      [two, ...rootTokens(linkTokens(cidBytes.subarray(0, 10))), ...versionTokens(1)],
      [two, ...rootTokens([new Token(Type.tag, 42), new Token(Type.uint, 1)]), ...versionTokens(1)],
      [new Token(Type.uint, 1)]
    ]) {
      await expectRefused(headerOf(tokens), 'InvalidCarError', sandbox)
    }

    for (
      const bytes of [
        Buffer.alloc(MIB, 0x81),
        Buffer.alloc(MIB),
        Buffer.concat([Uint8Array.of(0x9a, 0, 0x0f, 0xff, 0xfb), Buffer.alloc(MIB - 5)])
      ]
    ) {
      await expectRefused(Buffer.concat([varintOf(bytes.byteLength), bytes]), 'InvalidCarError', sandbox)
    }

    const deep = Buffer.concat([varintOf(MIB), Buffer.alloc(MIB, 0x81)])
    await expectRefused(deep, 'nested too deeply', sandbox)
  })

  it('with a dag-cbor root is refused as not UnixFS', async ({ sandbox }) => {
    const leaf = await leafOf(HELLO)
    // dag-cbor of an empty map
    const bytes = Uint8Array.of(0xa0)
    const cbor = { cid: CID.createV1(0x71, await sha256.digest(bytes)), bytes }

    await expectRefused(carOf([cbor.cid], [cbor, leaf]), 'is not UnixFS', sandbox)
    await expectRefused(carOf([cbor.cid], [cbor, leaf]), 'ipfs dag import', sandbox)
    expect(await listBlocks(sandbox.repo)).toEqual([])
  })

  it('with a dag-pb root of other bytes is refused as not UnixFS', async ({ sandbox }) => {
    const leaf = await leafOf(HELLO)
    const noPb = CID.createV1(dagPb.code, leaf.cid.multihash)
    const bytes = dagPb.encode({ Data: Buffer.from([0xff]), Links: [] })
    const noUnixfs = { cid: CID.createV1(dagPb.code, await sha256.digest(bytes)), bytes }

    await expectRefused(carOf([noPb], [leaf]), 'not UnixFS', sandbox)
    await expectRefused(carOf([mark(noPb, MARKERS.zstd)], [leaf]), 'not UnixFS', sandbox)
    await expectRefused(carOf([noUnixfs.cid], [noUnixfs]), 'not UnixFS', sandbox)
  })

  it('with a digest of 0 or 4 bytes, or a sha1 digest, is refused', async ({ sandbox }) => {
    const { digest } = await sha256.digest(HELLO)

    for (const [hash, said] of [
      [createDigest(sha256.code, digest.subarray(0, 0)), 'DigestLengthError'],
      [createDigest(sha256.code, digest.subarray(0, 4)), 'DigestLengthError'],
      [createDigest(0x11, new Uint8Array(20)), 'UnknownHashError']
    ] as const) {
      const cid = CID.createV1(raw.code, hash)

      await expectRefused(carOf([cid], [{ cid, bytes: HELLO }]), said, sandbox)
      expect(await listBlocks(sandbox.repo)).toEqual([])
    }
  })

  it('may have identity CIDs of any length, which are not stored as files', async ({ sandbox }) => {
    const leaves = [5, 128, 129, 3000].map(
      size => ({ cid: CID.createV1(raw.code, identity.digest(text(size))), bytes: text(size) })
    )
    const directory = await directoryOf(
      Object.fromEntries(leaves.map(({ cid, bytes }) => [`${bytes.byteLength}`, cid]))
    )
    await sandbox.write('x.car', carOf([...leaves.map(({ cid }) => cid), directory.cid], [...leaves, directory]))

    expectSuccess(await sandbox.run(['car', 'import', 'x.car']))
    expect(await listBlocks(sandbox.repo)).toHaveLength(1)
    expectSuccess(await sandbox.run(['verify', directory.cid.toString()]))
    expect(parseLines((await sandbox.run(['gc', '--json'])).stdout)).toMatchObject([{ kept: 1, removed: 0, pins: 1 }])

    for (const { cid, bytes } of leaves) {
      for (const path of [cid.toString(), `${directory.cid}/${bytes.byteLength}`]) {
        expect((await sandbox.run(['cat', path])).stdout.equals(bytes)).toBe(true)
      }
    }
  })

  it('may have identity CIDs of any length as its roots, which need no pin', async ({ sandbox }) => {
    const roots = [3, 3000].map(length => CID.createV1(raw.code, identity.digest(text(length))))
    await sandbox.write('x.car', carOf(roots, []))

    expectSuccess(await sandbox.run(['car', 'import', 'x.car']))
    expectSuccess(await sandbox.run(['pin', 'add', ...roots.map(String)]))
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toBe('')
  })

  it('may have an identity CID with links as its root, and gc keeps the blocks below it', async ({ sandbox }) => {
    const leaf = await leafOf(noise(1000))
    const root = CID.createV1(dagPb.code, identity.digest(directoryBytes({ a: leaf.cid })))
    await sandbox.write('x.car', carOf([root], [leaf]))

    expectSuccess(await sandbox.run(['car', 'import', 'x.car']))
    await sandbox.add(text(100), '--no-pin')
    expect(parseLines((await sandbox.run(['gc', '--json'])).stdout)).toMatchObject([{ kept: 1, removed: 1 }])
    expect((await sandbox.run(['cat', `${root}/a`])).stdout.equals(noise(1000))).toBe(true)
    expectSuccess(await sandbox.run(['car', 'export', root.toString(), '-o', 'out.car']))
    expectSuccess(await sandbox.run(['car', 'import', 'out.car', '--repo', 'other']))
    expectSuccess(await sandbox.run(['verify', root.toString(), '--repo', 'other']))
  })

  it('with an identity CID of other bytes, or one with links that is too long, is refused', async ({ sandbox }) => {
    const leaf = await leafOf(HELLO)
    const bytes = directoryBytes({ a: leaf.cid, b: leaf.cid, c: leaf.cid })
    const long = CID.createV1(dagPb.code, identity.digest(bytes))
    const other = CID.createV1(raw.code, identity.digest(text(5)))

    await expectRefused(carOf([other], [{ cid: other, bytes: HELLO }]), 'CorruptBlockError', sandbox)
    await expectRefused(carOf([long], [leaf]), 'DigestLengthError', sandbox)
    await expectRefused(
      carOf([(await directoryOf({ long })).cid], [await directoryOf({ long }), leaf]),
      'DigestLengthError',
      sandbox
    )
  })
})

describe.concurrent('a CAR of version 2', () => {
  const PRAGMA = Buffer.from('0aa16776657273696f6e02', 'hex')
  const v2 = (offset: bigint, size: bigint): Uint8Array => {
    const bytes = Buffer.alloc(40)
    bytes.writeBigUInt64LE(offset, 16)
    bytes.writeBigUInt64LE(size, 24)

    return Buffer.concat([PRAGMA, bytes])
  }

  it('is imported, whatever bytes precede and follow its blocks', async ({ sandbox }) => {
    const leaf = await leafOf(HELLO)
    const body = carOf([leaf.cid], [leaf])

    for (const padding of [0, 5, 200_000]) {
      const car = Buffer.concat([
        v2(51n + BigInt(padding), BigInt(body.byteLength)),
        Buffer.alloc(padding, 1),
        body,
        Buffer.alloc(1000, 0xff)
      ])
      const repo = ['--repo', `repo-${padding}`]

      expectSuccess(await sandbox.run(['car', 'import', '-', ...repo], { stdin: car }))
      expect((await sandbox.run(['cat', leaf.cid.toString(), ...repo])).stdout.equals(HELLO)).toBe(true)
    }
  })

  it('with invalid offsets is refused', async ({ sandbox }) => {
    const leaf = await leafOf(HELLO)
    const body = carOf([leaf.cid], [leaf])
    const size = BigInt(body.byteLength)

    for (
      const [
        offset,
        length
      ] of [[0n, 51n], [2n ** 60n, size], [51n, 2n ** 63n], [51n, 0n], [51n, size - 1n], [1000n, size], [51n, 10n]]
    ) {
      expectFailure(await sandbox.run(['car', 'import', '-'], { stdin: Buffer.concat([v2(offset, length), body]) }), 1)
    }
  })
})
