import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isText } from '../src/util/is-text.ts'

it('finds every control character, wherever the memory begins', () => {
  const bytes = fc.array(fc.constantFrom(0x00, 0x08, 0x09, 0x0d, 0x0e, 0x1f, 0x20, 0x61, 0x7f, 0x80, 0xff), {
    maxLength: 20,
    size: 'max'
  })
  const words = fc.array(fc.constantFrom(0x0a, 0x20, 0x61, 0x80, 0xff), { maxLength: 20, size: 'max' })

  fc.assert(fc.property(fc.oneof(bytes, words), fc.nat(7), (values, offset) => {
    const memory = new Uint8Array(offset + values.length + 8)
    memory.set(values, offset)

    expect(isText(memory.subarray(offset, offset + values.length)))
      .toBe(values.every(byte => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d)))
  }))
})
