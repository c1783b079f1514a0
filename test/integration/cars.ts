import * as dagPb from '@ipld/dag-pb'
import { encode, Token, Type } from 'cborg'
import { UnixFS } from 'ipfs-unixfs'
import { varint } from 'multiformats'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'

export interface CarBlock {
  cid: CID
  bytes: Uint8Array
}

/** A number as a varint, even one that is far too large. */
export function varintOf (number: number): Uint8Array {
  return varint.encodeTo(number, new Uint8Array(varint.encodingLength(number)))
}

export function header (roots: CID[]): Uint8Array {
  // not with @ipld/car, whose time grows with the square of the number of roots
  return headerOf([
    new Token(Type.map, 2),
    ...rootTokens(...roots.map(cid => linkTokens(Buffer.concat([Uint8Array.of(0), cid.bytes])))),
    ...versionTokens(1)
  ])
}

/** A header of any CBOR tokens. */
export function headerOf (tokens: Token[]): Uint8Array {
  const bytes = encode(tokens, { typeEncoders: { Array: () => tokens } })

  return Buffer.concat([varintOf(bytes.byteLength), bytes])
}

export function rootTokens (...items: Token[][]): Token[] {
  return [new Token(Type.string, 'roots'), new Token(Type.array, items.length), ...items.flat()]
}

export function linkTokens (bytes: Uint8Array): Token[] {
  return [new Token(Type.tag, 42), new Token(Type.bytes, bytes)]
}

export function versionTokens (version: number): Token[] {
  return [new Token(Type.string, 'version'), new Token(Type.uint, version)]
}

export function section ({ cid, bytes }: CarBlock): Uint8Array {
  return Buffer.concat([varintOf(cid.bytes.byteLength + bytes.byteLength), cid.bytes, bytes])
}

/** A CAR, built by hand: no library builds invalid ones. */
export function carOf (roots: CID[], blocks: readonly CarBlock[]): Uint8Array {
  return Buffer.concat([header(roots), ...blocks.map(section)])
}

export async function leafOf (bytes: Uint8Array): Promise<CarBlock> {
  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}

export function directoryBytes (entries: Record<string, CID>): Uint8Array {
  const links = Object.entries(entries).map(([Name, Hash]) => ({ Name, Hash, Tsize: 1 }))

  return dagPb.encode(dagPb.prepare({ Data: new UnixFS({ type: 'directory' }).marshal(), Links: links }))
}

export async function directoryOf (entries: Record<string, CID>): Promise<CarBlock> {
  const bytes = directoryBytes(entries)

  return { cid: CID.createV1(dagPb.code, await sha256.digest(bytes)), bytes }
}
