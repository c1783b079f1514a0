import { describe, expect, it } from 'vitest'
import { digestInPool } from '../src/digest-in-pool.ts'

describe('digestInPool', () => {
  const MIB = new Uint8Array(1024 * 1024)

  it.each([
    [0x12, '30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58'],
    [0x13, 'd6292685b380e338e025b3415a90fe8f9d39a46e7bdba8cb78c50a338cefca74' +
      '1f69e4e46411c32de1afdedfb268e579a51f81ff85e56f55b0ee7c33fe8c25c9']
  ])('hashes with the function of the multihash code %i', async (code, expected) => {
    expect(Buffer.from(await digestInPool(code, MIB) ?? []).toString('hex')).toBe(expected)
  })

  it('leaves few bytes, other functions, and memory that is shared or resizable to the caller', () => {
    const resizable = new ArrayBuffer(MIB.byteLength, { maxByteLength: 2 * MIB.byteLength })

    expect(digestInPool(0x12, MIB.subarray(0, 1000))).toBeUndefined()
    expect(digestInPool(0xb220, MIB)).toBeUndefined()
    expect(digestInPool(0x12, new Uint8Array(resizable))).toBeUndefined()

    if (typeof SharedArrayBuffer === 'function') {
      expect(digestInPool(0x12, new Uint8Array(new SharedArrayBuffer(MIB.byteLength)))).toBeUndefined()
    }
  })

  it('hashes the bytes as they were when it was called', async () => {
    const bytes = new Uint8Array(MIB)
    const digest = digestInPool(0x12, bytes)
    bytes.fill(1)

    expect(Buffer.from(await digest ?? []).toString('hex').slice(0, 8)).toBe('30e14955')
  })
})
