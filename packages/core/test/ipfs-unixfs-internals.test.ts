import { UnixFS } from 'ipfs-unixfs'
import { describe, expect, it } from 'vitest'
import { originalModeOf } from '../src/dag/ipfs-unixfs-internals.ts'

const ORIGINAL_MODE = '_originalMode'
const GONE = `ipfs-unixfs has no ${ORIGINAL_MODE} that holds the mode as it was read: see docs/upstream.md`

/** A file with the mode 0o100600: by its upper bits a regular file. */
const PRIVATE_FILE = Uint8Array.of(0x08, 2, 0x18, 0, 0x38, 0x80, 0x83, 0x02)

describe('the private field of ipfs-unixfs that core uses', () => {
  it('holds the mode as it was read, with the bits that mode leaves out', () => {
    const unixfs = UnixFS.unmarshal(PRIVATE_FILE)

    expect(unixfs, GONE).toHaveProperty(ORIGINAL_MODE, 0o100600)
    expect(unixfs.mode, 'ipfs-unixfs has a mode with all bits: see docs/upstream.md').toBe(0o600)
    expect(originalModeOf(unixfs)).toBe(0o100600)
  })

  it('holds 0 in a node that was not read', () => {
    expect(new UnixFS({ type: 'file', mode: 0o600 }), GONE).toHaveProperty(ORIGINAL_MODE, 0)
  })

  it('refuses a node without it, rather than write other bytes', () => {
    const { [ORIGINAL_MODE]: _, ...unixfs } = { ...UnixFS.unmarshal(PRIVATE_FILE) } as Record<string, unknown>

    expect(() => originalModeOf(unixfs as unknown as UnixFS)).toThrow(expect.objectContaining({ name: 'TypeError' }))
  })
})
