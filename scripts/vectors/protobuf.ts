/** Fields of protobuf messages, valid or not: written here once more, so that vectors do not follow core's mistakes. */

export function varint (value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))]
}

export function numberField (field: number, value: number): Uint8Array {
  return Uint8Array.from([...varint(field * 8), ...varint(value)])
}

export function bytesField (field: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([...varint(field * 8 + 2), ...varint(bytes.byteLength)]), bytes])
}

export function packedField (field: number, values: readonly number[]): Uint8Array {
  return bytesField(field, Uint8Array.from(values.flatMap(varint)))
}
