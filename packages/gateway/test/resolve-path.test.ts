import { ipfsz, isDocument, mark, TREE_CODE, unmark } from '@ipfsz/core'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { beforeEach, describe, expect, it } from 'vitest'
import { NameNotFoundError } from '../src/errors.ts'
import { followDocument } from '../src/dag/document.ts'
import { resolvePath } from '../src/resolve/resolve-path.ts'
import type { NameResolver } from '../src/contract.ts'
import type { Target } from '../src/request/target.ts'
import type { PathComponents } from '../src/resolve/resolve-path.ts'
import type { Resolved } from '../src/resolve/resolved.ts'
import type { Ipfsz } from '@ipfsz/core'

const SIGNAL = new AbortController().signal
const TEXT = new TextEncoder().encode('the same line again\n'.repeat(2000))

let blocks: MemoryBlockstore
let fs: Ipfsz
let components: PathComponents

beforeEach(() => {
  blocks = new MemoryBlockstore()
  fs = ipfsz({ blockstore: blocks })
  components = { fs, blocks, documents: { isDocument, followDocument } }
})

function target (name: CID | string, path: string[] = [], namespace: Target['namespace'] = 'ipfs'): Target {
  const query = new URLSearchParams()

  return { namespace, name: name.toString(), path, trailingSlash: false, rawPath: '', query, search: '' }
}

async function resolve (name: CID | string, ...path: string[]): Promise<Resolved> {
  return resolvePath(target(name, path), components, SIGNAL)
}

async function put (value: unknown, codec: { code: number, encode (value: unknown): Uint8Array }): Promise<CID> {
  const bytes = codec.encode(value)
  const cid = CID.createV1(codec.code, await sha256.digest(bytes))
  await blocks.put(cid, bytes)

  return cid
}

function withNames (resolveName: NameResolver['resolve']): void {
  components = { ...components, names: { resolve: resolveName } }
}

/** A directory with a compressed file, and another in a directory in it. */
async function addTree (): Promise<CID> {
  let root: CID | undefined

  for await (const { cid } of fs.addAll(['root/sub/a.txt', 'root/b'].map(path => ({ path, content: TEXT })))) {
    root = cid
  }

  return root as CID
}

describe('resolving a path', () => {
  it('keeps marked CIDs below a marked tree, and names the plain ones as roots', async () => {
    const tree = await addTree()
    const { cid, stats, roots, names, ttl } = await resolve(tree, 'sub', 'a.txt')

    expect(tree.code).toBe(TREE_CODE)
    expect(stats).toMatchObject({ type: 'file', size: BigInt(TEXT.byteLength), codec: 'zstd' })
    expect(cid).toEqual(stats?.markedCid)
    expect(roots.map(String)).toEqual([
      unmark(tree),
      (await fs.stat(tree, { path: 'sub' })).plainCid,
      unmark(cid)
    ].map(String))
    expect(names).toEqual(['sub', 'a.txt'])
    expect(ttl).toBeUndefined()
    expect((await resolve(tree, 'sub')).cid.code).toBe(TREE_CODE)
    expect((await resolve(tree)).cid).toEqual(tree)
  })

  it('keeps plain CIDs below a plain directory', async () => {
    const tree = await addTree()
    const { cid, stats } = await resolve(unmark(tree), 'sub', 'a.txt')

    expect(cid).toEqual(unmark(cid))
    expect(stats).toMatchObject({ codec: 'none' })
    expect((await resolve(unmark(tree), 'sub')).cid.code).toBe(dagPb.code)
  })

  it('does not take a backslash or what looks like a property for anything else', async () => {
    let root: CID | undefined
    for await (const { cid } of fs.addAll([{ path: 'root/__proto__', content: TEXT }])) {
      root = cid
    }

    await expect(resolve(root as CID, '__proto__')).resolves.toMatchObject({ stats: { type: 'file' } })
    await expect(resolve(root as CID, 'constructor')).rejects.toMatchObject({ name: 'EntryNotFoundError' })
    await expect(resolve(root as CID, '__proto__\\', 'x')).rejects.toMatchObject({ segment: '__proto__\\' })
  })

  it('refuses a name that is not there with the name and the directory', async () => {
    const tree = await addTree()
    const sub = mark((await fs.stat(tree, { path: 'sub' })).plainCid, TREE_CODE)

    await expect(resolve(tree, 'sub', 'missing', 'x')).rejects.toMatchObject({
      name: 'EntryNotFoundError',
      status: 404,
      segment: 'missing',
      cid: sub,
      message: `no link named "missing" under ${sub}`
    })
  })

  it('refuses a path through a file', async () => {
    const tree = await addTree()
    const file = (await resolve(tree, 'b')).cid

    for (const start of [target(tree, ['b', 'x']), target(file, ['x']), target(unmark(file), ['x'])]) {
      await expect(resolvePath(start, components, SIGNAL)).rejects.toMatchObject({ status: 404, segment: 'x' })
    }
  })

  it('reports a missing block as such', async () => {
    const tree = await addTree()
    const { cid } = await resolve(tree, 'b')
    await blocks.delete(unmark(cid))
    components = { ...components, fs: ipfsz({ blockstore: blocks }) }

    await expect(resolve(tree, 'b')).rejects.toMatchObject({ name: 'NotFoundError', cid: unmark(cid) })
  })

  it('ends with the signal', async () => {
    const controller = new AbortController()
    controller.abort()

    await expect(resolvePath(target(await addTree(), ['b']), components, controller.signal))
      .rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('resolving a path through documents', () => {
  it.each([['DAG-CBOR', dagCbor], ['DAG-JSON', dagJson]])('follows the links of %s', async (_, codec) => {
    const tree = await addTree()
    const inner = await put({ bar: [{ hello: 'this is not a link' }, unmark(tree)] }, codec as never)
    const outer = await put({ foo: { link: inner } }, codec as never)

    await expect(resolve(outer)).resolves.toEqual({ cid: outer, roots: [outer], names: [] })
    await expect(resolve(outer, 'foo')).rejects.toMatchObject({ name: 'PathInDocumentError', cid: outer, path: 'foo' })
    await expect(resolve(outer, 'foo', 'link')).resolves.toMatchObject({ cid: inner, roots: [outer, inner] })
    await expect(resolve(outer, 'foo', 'link', 'bar', '0'))
      .rejects.toMatchObject({ status: 501, cid: inner, path: 'bar/0' })
    await expect(resolve(outer, 'foo', 'link', 'bar', '1', 'sub', 'a.txt'))
      .resolves.toMatchObject({ stats: { type: 'file' } })

    for (const name of ['bar', '__proto__', 'toString', 'length']) {
      await expect(resolve(outer, 'foo', name)).rejects.toMatchObject({ name: 'EntryNotFoundError', segment: name })
    }

    await expect(resolve(outer, 'foo', 'link', 'bar', 'length')).rejects.toMatchObject({ segment: 'length' })
    await expect(resolve(outer, 'foo', 'link', 'bar', '2')).rejects.toMatchObject({ segment: '2' })
  })

  it('finds a document in a directory', async () => {
    const document = await put({ a: 1 }, dagCbor as never)
    const file = await put(TEXT.slice(0, 10), { code: 0x55, encode: value => value as Uint8Array })
    const directory = await put({
      Data: Uint8Array.of(0x08, 0x01),
      Links: [{ Name: 'd', Hash: document, Tsize: 4 }, { Name: 'f', Hash: file, Tsize: 10 }]
    }, dagPb as never)

    await expect(resolve(directory, 'd')).resolves
      .toEqual({ cid: document, roots: [directory, document], names: ['d'] })
    await expect(resolve(directory, 'd', 'a')).rejects.toMatchObject({ status: 501, cid: document, path: 'a' })
  })

  it('names other content without statistics', async () => {
    const json = await put({ a: 1 }, { code: 0x0200, encode: value => new TextEncoder().encode(JSON.stringify(value)) })

    await expect(resolve(json)).resolves.toEqual({ cid: json, roots: [json], names: [] })
    await expect(resolve(json, 'a')).rejects.toMatchObject({ name: 'EntryNotFoundError', segment: 'a' })
  })

  it('names a dag-pb block that is not UnixFS without statistics', async () => {
    const node = await put({ Data: Uint8Array.of(0xff), Links: [] }, dagPb as never)

    await expect(resolve(node)).resolves.toEqual({ cid: node, roots: [node], names: [] })
    await expect(resolve(node, 'x')).rejects.toMatchObject({ name: 'EntryNotFoundError', segment: 'x' })
  })

  it('refuses documents that are invalid, nested too deeply, or changed', async () => {
    const hostile = [
      Uint8Array.of(0xff),
      new Uint8Array(1_000_000).fill(0x81)
    ]

    for (const bytes of hostile) {
      const cid = await put(bytes, { code: dagCbor.code, encode: value => value as Uint8Array })

      await expect(resolve(cid, 'a')).rejects.toMatchObject({ name: 'InvalidDagError', cid })
    }

    const cid = await put({ a: 1 }, dagCbor as never)
    await blocks.put(cid, dagCbor.encode({ a: 2 }))

    await expect(resolve(cid, 'a')).rejects.toMatchObject({ name: 'CorruptBlockError' })
  })

  it.each([
    ['documents', async (next: CID) => put({ a: next, b: new Uint8Array(2_000_000) }, dagCbor as never)],
    ['directories', async (next: CID) => put(directory(next, 2_000_000), dagPb as never)]
  ])('refuses to read too many bytes for a path through %s', { tags: 'slow' }, async (_, link) => {
    let cid = await put({ leaf: 1 }, dagCbor as never)
    const names: string[] = []
    for (let i = 0; i < 9; i++) {
      cid = await link(cid)
      names.push('a')
    }

    const error = { name: 'PathTooCostlyError', status: 422, limit: 2 ** 24 }
    await expect(resolve(cid, ...names)).rejects.toMatchObject(error)
    // a part of the path is not too long
    await expect(resolve(cid, ...names.slice(0, 7))).resolves.toMatchObject({ names: names.slice(0, 7) })
  })
})

describe('resolving a name', () => {
  it('goes on below what the record names, and says for how long', async () => {
    const tree = await addTree()
    withNames(async () => ({ cid: tree, path: ['sub'], ttl: 60 }))

    await expect(resolvePath(target('example.org', ['a.txt'], 'ipns'), components, SIGNAL)).resolves.toMatchObject({
      stats: { type: 'file' },
      roots: { length: 3 },
      ttl: 60
    })
  })

  it('refuses names without a resolver', async () => {
    await expect(resolvePath(target('example.org', [], 'ipns'), components, SIGNAL))
      .rejects.toMatchObject({ name: 'NamesUnavailableError', status: 501, subject: 'example.org' })
  })

  it('reports a host without a DNSLink like a path that leads nowhere', async () => {
    const host = { ...target('example.org', [], 'ipns'), dnsLinkHost: 'example.org', rawPath: '/favicon.ico' }
    const expected = { name: 'NotContentPathError', status: 404, path: '/favicon.ico' }

    await expect(resolvePath(host, components, SIGNAL)).rejects.toMatchObject(expected)
    withNames(async name => { throw new NameNotFoundError(name) })
    await expect(resolvePath(host, components, SIGNAL)).rejects.toMatchObject(expected)
    await expect(resolvePath(target('example.org', [], 'ipns'), components, SIGNAL))
      .rejects.toMatchObject({ name: 'NameNotFoundError', subject: 'example.org' })
  })
})

/** A directory with an entry `a`, and another one with a name of so many bytes. */
function directory (link: CID, length: number): unknown {
  const names = ['a', 'b'.repeat(length)]

  return dagPb.prepare({ Data: Uint8Array.of(8, 1), Links: names.map(Name => ({ Name, Hash: link, Tsize: 1 })) })
}
