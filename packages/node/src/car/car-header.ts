import { decode, encode, Token, Type } from 'cborg'
import { CID } from 'multiformats/cid'
import type { TagDecodeControl } from 'cborg'

/** Maximum different roots of a CAR. A header of 8 MiB could name 750,000, which take more than 1 GB of memory. */
export const MAX_CAR_ROOTS = 65_536

/** The CBOR tag for a CID. */
const CID_TAG = 42

/**
 * The roots in the header of a CARv1, each once. @ipld/car is not used: it would make a CID for each repetition of the
 * same root, of which a header may have a hundred thousand.
 */
export function decodeRoots (header: Uint8Array): CID[] {
  const known = new Map<string, CID>()
  const decodeCid = (control: TagDecodeControl): CID => {
    const bytes: unknown = control()

    if (!(bytes instanceof Uint8Array) || bytes[0] !== 0) {
      throw new Error('a root is not a CID')
    }

    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    const cid = known.get(key) ?? CID.decode(bytes.subarray(1))

    known.set(key, cid)

    if (known.size > MAX_CAR_ROOTS) {
      throw new Error(`its header exceeds the limit of ${MAX_CAR_ROOTS} roots`)
    }

    return cid
  }
  const value: unknown = decode(
    header,
    { allowIndefinite: false, strict: true, rejectDuplicateMapKeys: true, tags: { [CID_TAG]: decodeCid } }
  )

  if (typeof value !== 'object' || value == null || !('version' in value) || value.version !== 1) {
    throw new Error('its header is not a header of CAR version 1')
  }

  if (!('roots' in value) || !Array.isArray(value.roots)) {
    throw new Error('its header has no list of roots')
  }

  const roots = new Set<CID>()

  for (const root of value.roots) {
    if (!(root instanceof CID)) {
      throw new Error('a root is not a CID')
    }

    roots.add(root)
  }

  return [...roots]
}

/** The header of a CARv1, without its length prefix. */
export function encodeRoots (roots: readonly CID[]): Uint8Array {
  const links = roots.flatMap(
    ({ bytes }) => [new Token(Type.tag, CID_TAG), new Token(Type.bytes, Buffer.concat([Uint8Array.of(0), bytes]))]
  )
  const tokens = [
    new Token(Type.map, 2),
    new Token(Type.string, 'roots'), new Token(Type.array, roots.length), ...links,
    new Token(Type.string, 'version'), new Token(Type.uint, 1)
  ]

  return encode(roots, { typeEncoders: { Array: () => tokens } })
}
