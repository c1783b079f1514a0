/**
 * How many bytes of records are moved at a time, 16 KiB: the first-level cache holds them and their part of each plane.
 * Plane by plane over a whole frame, records of 36 bytes take twice as long.
 */
const TILE = 16 * 1024

/** Moves the same byte of consecutive records between records and a plane. */
type MovePlane = (plane: number, inPlane: number, inRecords: number, end: number) => void

/**
 * Transpose records into byte planes: first the first bytes of all records, then all second ones, and so on. Bytes
 * behind the last record stay.
 *
 * @param target - other memory of the same length
 * @param width - bytes of a record
 */
export function shuffle (source: Uint8Array, target: Uint8Array, width: number): void {
  eachPlane(source, target, width, (_, to, from, end) => {
    for (; from < end; from += width) {
      target[to++] = source[from]
    }
  })
}

/** The inverse of {@link shuffle}. */
export function unshuffle (source: Uint8Array, target: Uint8Array, width: number): void {
  eachPlane(source, target, width, (_, from, to, end) => {
    for (; to < end; to += width) {
      target[to] = source[from++]
    }
  })
}

/**
 * Like {@link shuffle}, with the difference of each byte to the same byte of the record before it. Those of the first
 * record stay.
 */
export function toRecordPlanes (source: Uint8Array, target: Uint8Array, width: number): void {
  const last = new Uint8Array(width)

  eachPlane(source, target, width, (plane, to, from, end) => {
    let before = last[plane]

    for (; from < end; from += width) {
      const byte = source[from]
      target[to++] = byte - before
      before = byte
    }

    last[plane] = before
  })
}

/** The inverse of {@link toRecordPlanes}. */
export function fromRecordPlanes (source: Uint8Array, target: Uint8Array, width: number): void {
  const last = new Uint8Array(width)

  eachPlane(source, target, width, (plane, from, to, end) => {
    let byte = last[plane]

    for (; to < end; to += width) {
      byte = byte + source[from++] & 0xff
      target[to] = byte
    }

    last[plane] = byte
  })
}

function eachPlane (source: Uint8Array, target: Uint8Array, width: number, move: MovePlane): void {
  const count = Math.floor(source.byteLength / width)
  const step = Math.floor(TILE / width)

  for (let first = 0; first < count; first += step) {
    const end = Math.min(first + step, count) * width

    for (let plane = 0; plane < width; plane++) {
      move(plane, plane * count + first, first * width + plane, end)
    }
  }

  target.set(source.subarray(count * width), count * width)
}
