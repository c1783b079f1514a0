import { NamedError } from '@ipfsz/utils/named-error'

/** The subset of protobuf's wire format that the header needs: varints and length-delimited fields. */

export const VARINT = 0
const FIXED64 = 1
export const BYTES = 2
const FIXED32 = 5

/** A field's number, wire type and value. */
export interface Field {
  number: number
  type: number
  /** For a varint field, else 0. */
  value: number
  /** For a length-delimited field, else empty. */
  bytes: Uint8Array
  /** Bytes of the key, and of the value or length: there may be more than they need. */
  keyLength: number
  numberLength: number
}

const NO_BYTES: Uint8Array = new Uint8Array(0)
const MAX_VARINT_LENGTH = 10
const MAX_FIELD_NUMBER = 2 ** 29 - 1

/** Thrown when protobuf is malformed: truncated, an unknown wire type, or a number above 2^53 - 1. */
class InvalidProtobufError extends NamedError {
  static override readonly name = 'InvalidProtobufError'
}

/**
 * The fields of a message, in order.
 *
 * @throws {InvalidProtobufError}
 */
export function * readFields (message: Uint8Array): Generator<Field> {
  let position = 0

  while (position < message.byteLength) {
    const tag = readVarint(message, position)
    const keyLength = tag.end - position
    const number = Math.floor(tag.value / 8)
    const type = tag.value % 8
    position = tag.end

    if (number === 0 || number > MAX_FIELD_NUMBER) {
      throw new InvalidProtobufError(`it has a field with the number ${number}, which protobuf does not allow`)
    }

    let value = 0
    let numberLength = 0
    let bytes: Uint8Array = NO_BYTES

    if (type === VARINT) {
      ({ value, end: position } = readVarint(message, position))
      numberLength = position - tag.end
    } else if (type === BYTES) {
      const length = readVarint(message, position)
      numberLength = length.end - position
      bytes = message.subarray(length.end, length.end + length.value)
      position = length.end + length.value
    } else if (type === FIXED64 || type === FIXED32) {
      position += type === FIXED64 ? 8 : 4
    } else {
      throw new InvalidProtobufError(`field ${number} has the unsupported wire type ${type}`)
    }

    if (position > message.byteLength) {
      throw new InvalidProtobufError(`field ${number} is truncated`)
    }

    yield { number, type, value, bytes, keyLength, numberLength }
  }
}

/**
 * The values of a packed varint field.
 *
 * @throws {InvalidProtobufError}
 */
export function readPackedVarints (bytes: Uint8Array): number[] {
  const values: number[] = []

  for (let position = 0; position < bytes.byteLength;) {
    const { value, end } = readVarint(bytes, position)
    values.push(value)
    position = end
  }

  return values
}

function readVarint (bytes: Uint8Array, position: number): { value: number, end: number } {
  let value = 0
  let scale = 1

  for (let i = position; i < position + MAX_VARINT_LENGTH && i < bytes.byteLength; i++) {
    value += (bytes[i] & 0x7f) * scale

    if (bytes[i] < 0x80) {
      if (value > Number.MAX_SAFE_INTEGER) {
        throw new InvalidProtobufError('a varint exceeds 2^53 - 1')
      }

      return { value, end: i + 1 }
    }

    scale *= 128
  }

  throw new InvalidProtobufError(`a varint is truncated, or longer than ${MAX_VARINT_LENGTH} bytes`)
}

/**
 * Append a varint to a message. The value must be a whole number from 0 to 2^53 - 1.
 *
 * Each file of a tree has a root, and joining its fields from arrays takes as long as hashing it.
 */
export function pushVarint (message: number[], value: number): void {
  while (value >= 0x80) {
    message.push(value % 0x80 | 0x80)
    value = Math.floor(value / 0x80)
  }

  message.push(value)
}

/** How many bytes a varint has. */
export function varintLength (value: number): number {
  let length = 1

  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    length++
  }

  return length
}

export function pushVarintField (message: number[], number: number, value: number): void {
  pushVarint(message, number * 8 + VARINT)
  pushVarint(message, value)
}

/** Append what a length-delimited field has before its bytes. */
export function pushFieldHead (message: number[], number: number, length: number): void {
  pushVarint(message, number * 8 + BYTES)
  pushVarint(message, length)
}

export function varint (value: number): number[] {
  const bytes: number[] = []
  pushVarint(bytes, value)

  return bytes
}

export function varintField (number: number, value: number): number[] {
  const field: number[] = []
  pushVarintField(field, number, value)

  return field
}

/** What a length-delimited field has before its bytes. */
export function fieldHead (number: number, length: number): number[] {
  const head: number[] = []
  pushFieldHead(head, number, length)

  return head
}

/** A length-delimited field. */
export function bytesField (number: number, bytes: Uint8Array): Uint8Array {
  const head = fieldHead(number, bytes.byteLength)
  const field = new Uint8Array(head.length + bytes.byteLength)
  field.set(head)
  field.set(bytes, head.length)

  return field
}
