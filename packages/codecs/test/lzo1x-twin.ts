/** One instruction of an LZO1X stream. A run has no offset. Up to three literals may follow a match. */
export interface Instruction {
  kind: 'run' | 'M1' | 'M2' | 'M3' | 'M4'
  offset: number
  length: number
}

/**
 * Decode an LZO1X stream slowly, as the Linux kernel's
 * Documentation/staging/lzo.rst describes it, and list its instructions.
 *
 * @throws if the stream is invalid, or decodes to more than `max` bytes
 */
export function readLzo1x (stream: Uint8Array, max: number): { bytes: Uint8Array, instructions: Instruction[] } {
  const bytes: number[] = []
  const instructions: Instruction[] = []
  let position = 0
  let state = 0

  function next (): number {
    if (position === stream.byteLength) {
      throw new Error('cut short')
    }

    return stream[position++]
  }

  function put (byte: number): void {
    if (bytes.length === max) {
      throw new Error('too long')
    }

    bytes.push(byte)
  }

  function readLength (code: number, bits: number): number {
    const mask = (1 << bits) - 1

    if ((code & mask) !== 0) {
      return code & mask
    }

    let length = mask
    let byte = next()

    for (; byte === 0; byte = next()) {
      length += 255
    }

    return length + byte
  }

  function copyLiterals (count: number): void {
    for (let i = 0; i < count; i++) {
      put(next())
    }
  }

  function run (length: number): void {
    instructions.push({ kind: 'run', offset: 0, length })
    copyLiterals(length)
    state = Math.min(length, 4)
  }

  function match (kind: Instruction['kind'], offset: number, length: number, literals: number): void {
    instructions.push({ kind, offset, length })

    for (let i = 0; i < length; i++) {
      if (offset > bytes.length) {
        throw new Error('before the start')
      }

      put(bytes[bytes.length - offset])
    }

    copyLiterals(literals)
    state = literals
  }

  if (stream[0] > 17) {
    run(next() - 17)
  }

  for (;;) {
    const code = next()

    if (code < 16 && state === 0) {
      run(3 + readLength(code, 4))
    } else if (code < 16) {
      const distance = (next() << 2) + (code >> 2) + 1
      match('M1', state === 4 ? distance + 2048 : distance, state === 4 ? 3 : 2, code & 3)
    } else if (code < 64) {
      const length = 2 + readLength(code, code < 32 ? 3 : 5)
      const operand = next() | next() << 8
      const distance = operand >> 2

      if (code < 32 && (code & 8) === 0 && distance === 0) {
        if (code !== 17 || operand !== 0 || position !== stream.byteLength) {
          throw new Error('ends otherwise')
        }

        return { bytes: Uint8Array.from(bytes), instructions }
      }

      if (code < 32) {
        match('M4', 16384 + ((code & 8) << 11) + distance, length, operand & 3)
      } else {
        match('M3', distance + 1, length, operand & 3)
      }
    } else {
      const length = code < 128 ? 3 + (code >> 5 & 1) : 5 + (code >> 5 & 3)
      match('M2', (next() << 3) + (code >> 2 & 7) + 1, length, code & 3)
    }
  }
}
