/**
 * How many bytes of records are moved at a time, 16 KiB: the first-level cache holds them and their part of each plane.
 * Plane by plane over a whole frame, records of 36 bytes take twice as long.
 */
const TILE = 16 * 1024

/** The same byte of some consecutive records: its places in its plane, and in the records. */
interface Run {
  plane: number
  inPlane: number
  inRecords: number
  /** Where the records end. */
  end: number
}

/**
 * Transpose records into byte planes: first the first bytes of all records, then all second ones, and so on. Bytes
 * behind the last record stay.
 *
 * @param target - other memory of the same length
 * @param width - bytes of a record
 */
export function shuffle (source: Uint8Array, target: Uint8Array, width: number): void {
  for (const { inPlane, inRecords, end } of runs(source, target, width)) {
    for (let from = inRecords, to = inPlane; from < end; from += width) {
      target[to++] = source[from]
    }
  }
}

/** The inverse of {@link shuffle}. */
export function unshuffle (source: Uint8Array, target: Uint8Array, width: number): void {
  for (const { inPlane, inRecords, end } of runs(source, target, width)) {
    for (let from = inPlane, to = inRecords; to < end; to += width) {
      target[to] = source[from++]
    }
  }
}

/**
 * Like {@link shuffle}, with the difference of each byte to the same byte of the record before it. Those of the first
 * record stay.
 */
export function toRecordPlanes (source: Uint8Array, target: Uint8Array, width: number): void {
  const last = new Uint8Array(width)

  for (const { plane, inPlane, inRecords, end } of runs(source, target, width)) {
    let before = last[plane]

    for (let from = inRecords, to = inPlane; from < end; from += width) {
      const byte = source[from]
      target[to++] = byte - before
      before = byte
    }

    last[plane] = before
  }
}

/** The inverse of {@link toRecordPlanes}. */
export function fromRecordPlanes (source: Uint8Array, target: Uint8Array, width: number): void {
  const last = new Uint8Array(width)

  for (const { plane, inPlane, inRecords, end } of runs(source, target, width)) {
    let byte = last[plane]

    for (let from = inPlane, to = inRecords; to < end; to += width) {
      byte = byte + source[from++] & 0xff
      target[to] = byte
    }

    last[plane] = byte
  }
}

/** All runs of the records, in the order of the tiles. The bytes behind the last record are copied. */
function * runs (source: Uint8Array, target: Uint8Array, width: number): Generator<Run> {
  const count = Math.floor(source.byteLength / width)
  const step = Math.floor(TILE / width)

  target.set(source.subarray(count * width), count * width)

  for (let first = 0; first < count; first += step) {
    const end = Math.min(first + step, count) * width

    for (let plane = 0; plane < width; plane++) {
      yield { plane, inPlane: plane * count + first, inRecords: first * width + plane, end }
    }
  }
}
