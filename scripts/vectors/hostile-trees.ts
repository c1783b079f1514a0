/** Directories and nodes that a reader refuses, and some that only look as if it should. */
import { mark, TREE_CODE } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { murmur364 } from '@multiformats/murmur3'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { bytesField, numberField } from './protobuf.ts'
import { original, range } from './vector.ts'
import type { Blocks, Part } from './blocks.ts'
import type { Expected, VectorInit } from './vector.ts'

type Link = [name: string, part: Part]
type MakeLinks = (blocks: Blocks, file: Part) => Promise<Link[]> | Link[]

interface ShardInit {
  /** @default 256 */
  fanout?: number
  /** The code of its hash function, or null for none. */
  hash?: number | null
}

const HELLO = Buffer.from('Hello, reader')

/** A directory, or with `shard` one of the nodes of a sharded one. Nothing is checked. */
async function node (blocks: Blocks, links: Link[], shard?: ShardInit): Promise<Part> {
  const message = shard == null
    ? numberField(1, 1)
    : Buffer.concat([
      numberField(1, 5),
      shard.hash === null ? new Uint8Array(0) : numberField(5, shard.hash ?? 0x22),
      numberField(6, shard.fanout ?? 256)
    ])
  // not dag-pb's encoder, which sorts the links
  const encoded = Buffer.concat([
    ...links.map(([name, { cid, size }]) => bytesField(2, Buffer.concat([
      bytesField(1, cid.bytes), bytesField(2, Buffer.from(name)), numberField(3, size)
    ]))),
    bytesField(1, message)
  ])

  return { cid: await blocks.store(dagPb.code, encoded), size: encoded.byteLength }
}

/** The label of a name at a level of shards with a fanout of 256. */
async function label (name: string, level = 0): Promise<string> {
  const hash = await murmur364.encode(Buffer.from(name))

  return hash[level].toString(16).toUpperCase().padStart(2, '0')
}

function other (label: string): string {
  return label === '00' ? '01' : '00'
}

function vector (name: string, about: string, expected: Expected, links: MakeLinks, shard?: ShardInit): VectorInit {
  return {
    name,
    about,
    make: async blocks => {
      const [file] = await blocks.leaves(HELLO)
      const { cid } = await node(blocks, await links(blocks, file), shard)

      return mark(cid, TREE_CODE)
    },
    expected
  }
}

const LISTING = { error: 'InvalidDagError', listing: true } as const
const AT_NAME = { error: 'InvalidDagError', path: 'name' } as const

const DIRECTORIES: VectorInit[] = [
  vector('bad-tree-name-twice', 'The path of two entries with one name', AT_NAME, (_, file) => [
    ['name', file], ['name', { ...file, size: 1 }]
  ]),
  vector('bad-tree-list-name-twice', 'Two entries with one name', LISTING, (_, file) => [
    ['name', file], ['name', file]
  ]),
  ...[['slash', 'a/b'], ['parent', '..'], ['dot', '.'], ['empty', '']].map(([kind, name]) =>
    vector(`bad-tree-name-${kind}`, `An entry named "${name}"`, LISTING, (_, file) => [[name, file]])),
  vector('tree-sizes-lie', 'Links that say another size, which nobody relies on', {
    entries: ['large', 'none'].map(path => ({ path, ...original(HELLO) }))
  }, (_, { cid }) => [['large', { cid, size: 2 ** 50 }], ['none', { cid, size: 0 }]])
]

const SHARD = {}

const SHARDS: VectorInit[] = [
  vector('tree-shard-moved', 'An entry whose label is not that of its hash, as when a shard below was dissolved', {
    entries: [{ path: 'name', ...original(HELLO) }]
  }, async (_, file) => [[`${other(await label('name'))}name`, file]], SHARD),
  vector('tree-shard-lower-case', 'Labels in lower case', {
    entries: [{ path: 'name', ...original(HELLO) }]
  }, async (_, file) => [[`${(await label('name')).toLowerCase()}name`, file]], SHARD),
  vector('tree-shard-no-hash', 'A shard without the code of its hash function, as Helia writes it with another mode', {
    entries: [{ path: 'name', ...original(HELLO) }]
  }, async (_, file) => [[`${await label('name')}name`, file]], { hash: null }),
  vector('bad-shard-hash', 'A shard whose names are placed by SHA2-256', LISTING, (_, file) => [['82name', file]], {
    hash: 0x12
  }),
  vector('bad-shard-hash-path', 'A path in such a shard', AT_NAME, (_, file) => [['82name', file]], { hash: 0x12 }),
  vector('bad-shard-name-twice', 'The path of two entries with one name', AT_NAME, async (_, file) => {
    const digits = await label('name')

    return [[`${digits}name`, file], [`${digits}name`, file]]
  }, SHARD),
  vector('bad-shard-list-name-twice', 'Two entries with one name, one of which is in the wrong place', LISTING,
    async (_, file) => {
      const digits = await label('name')

      return [[`${digits}name`, file], [`${other(digits)}name`, file]]
    }, SHARD),
  ...[0, 1, 3, 100, 2 ** 17, 2 ** 40].flatMap(fanout => [
    vector(`bad-shard-fanout-${fanout}`, `A fanout of ${fanout}`, LISTING, (_, file) => [['00name', file]], { fanout })
  ]),
  vector('bad-shard-fanout-path', 'A path, with a fanout of 3', AT_NAME, (_, file) => [['0name', file]], { fanout: 3 }),
  vector('bad-shard-label-short', 'A label of one digit where there must be two', LISTING, (_, file) => [['A', file]],
    SHARD),
  vector('bad-shard-label-letters', 'A label that is not a number', LISTING, (_, file) => [['ZZname', file]], SHARD),
  vector('bad-shard-label-large', 'A label that is not below the fanout', LISTING, (_, file) => [['9name', file]], {
    fanout: 8
  }),
  vector('bad-shard-not-a-shard', 'A label without a name that leads to a file', LISTING,
    async blocks => [['00', await blocks.fileNode({ data: HELLO })]], SHARD),
  vector('bad-shard-path-file', 'The same, on the path of a name', AT_NAME,
    async blocks => [[await label('name'), await blocks.fileNode({ data: HELLO })]], SHARD),
  vector('bad-shard-empty', 'A shard without entries below another', LISTING,
    async blocks => [['00', await node(blocks, [], SHARD)]], SHARD),
  vector('bad-shard-twice', 'A shard in two places', LISTING, async (blocks, file) => {
    const shard = await node(blocks, [['00name', file]], SHARD)

    return [['00', shard], ['01', shard]]
  }, SHARD),
  vector('bad-shard-same-label', 'Two shards in one place', LISTING, async (blocks, file) => {
    const digits = await label('name', 1)
    const shard = await node(blocks, [[`${digits}name`, file]], SHARD)

    return [[await label('name'), shard], [await label('name'), shard]]
  }, SHARD),
  vector('bad-shard-label-twice', 'Two entries with the same label', LISTING, async (_, file) => {
    const digits = await label('name')

    return [[`${digits}name`, file], [`${digits.toLowerCase()}other`, file]]
  }, SHARD),
  vector('bad-shard-endless', 'Seven levels of 256 links to one shard: more entries than anybody can list', LISTING,
    async (blocks, file) => {
      let shard = await node(blocks, [['00name', file]], SHARD)

      for (let level = 0; level < 6; level++) {
        shard = await node(blocks, all(shard), SHARD)
      }

      return all(shard)
    }, SHARD),
  vector('bad-shard-deep', 'Nine levels, and a hash of 64 bits chooses in eight', AT_NAME, async (blocks, file) => {
    let shard = await node(blocks, [['00name', file]], SHARD)

    for (let level = 0; level < 8; level++) {
      shard = await node(blocks, all(shard), SHARD)
    }

    return all(shard)
  }, SHARD)
]

function all (part: Part): Link[] {
  return Array.from({ length: 256 }, (_, i) => [i.toString(16).toUpperCase().padStart(2, '0'), part])
}

function file (name: string, about: string, expected: Expected, make: VectorInit['make']): VectorInit {
  return { name, about, expected, make }
}

const NODES: VectorInit[] = [
  file('plain-huge', 'A petabyte of one leaf, which can only be read by ranges', {
    size: 13 * 1024 ** 4,
    ranges: [0, 13 * 1024 ** 3 - 4, 13 * 1024 ** 4 - 5].map(at => range(at, Buffer.from(HELLO.toString().repeat(2))
      .subarray(at % 13, at % 13 + (at === 13 * 1024 ** 4 - 5 ? 5 : 9))))
  }, async blocks => {
    let [part] = await blocks.leaves(HELLO)

    for (let level = 0; level < 4; level++) {
      part = await blocks.fileNode({ parts: Array<Part>(1024).fill(part) })
    }

    return part.cid
  }),
  file('bad-dag-directory', 'A directory as a part of a file', { error: 'InvalidDagError' }, async blocks => {
    const [leaf] = await blocks.leaves(HELLO)
    const { cid } = await node(blocks, [['name', leaf]])

    return (await blocks.fileNode({ parts: [{ cid, size: 13 }] })).cid
  }),
  file('bad-dag-marked-link', 'A link to a marked CID', { error: 'InvalidDagError' }, async blocks => {
    const part = await blocks.fileNode({ data: HELLO })

    return (await blocks.fileNode({ parts: [{ cid: mark(part.cid, TREE_CODE), size: 13 }] })).cid
  }),
  file('bad-dag-not-dag-pb', 'A block that is not dag-pb', { error: 'NotUnixFSError' },
    async blocks => blocks.store(dagPb.code, HELLO)),
  file('bad-dag-without-data', 'A node without a UnixFS message', { error: 'NotUnixFSError' },
    async blocks => blocks.store(dagPb.code, dagPb.encode(dagPb.prepare({ Links: [] })))),
  file('bad-dag-type', 'A UnixFS type that there is not', { error: 'NotUnixFSError' },
    async blocks => (await blocks.fileNode({ data: HELLO, type: 6 })).cid),
  file('bad-dag-cbor', 'A root in DAG-CBOR', { error: 'NotUnixFSError' },
    async blocks => blocks.store(0x71, Uint8Array.of(0xa0))),
  file('bad-digest-long', 'A digest that is longer than its hash', { error: 'CorruptBlockError' }, async blocks => {
    const { digest } = await sha256.digest(HELLO)
    const cid = CID.createV1(raw.code, createDigest(sha256.code, Buffer.concat([digest, Uint8Array.of(0)])))
    await blocks.put(cid, HELLO)

    return cid
  }),
  file('bad-digest-identity', 'A node of 129 bytes in its CID', { error: 'DigestLengthError' }, async () => {
    const message = Buffer.concat([numberField(1, 2), bytesField(2, Buffer.alloc(121, 'x')), numberField(3, 121)])
    const block = dagPb.encode(dagPb.prepare({ Data: message, Links: [] }))

    return CID.createV1(dagPb.code, identity.digest(block))
  }),
  file('plain-digest-20', 'The first 20 bytes of a hash', original(HELLO), async blocks => {
    const { digest } = await sha256.digest(HELLO)
    const cid = CID.createV1(raw.code, createDigest(sha256.code, digest.subarray(0, 20)))
    await blocks.put(cid, HELLO)

    return cid
  }),
  file('plain-identity', 'A leaf in its CID', original(HELLO), async blocks => {
    const part = { cid: CID.createV1(raw.code, identity.digest(HELLO)), size: HELLO.byteLength }

    return (await blocks.fileNode({ parts: [part] })).cid
  })
]

export const HOSTILE_TREES: readonly VectorInit[] = [...DIRECTORIES, ...SHARDS, ...NODES]
