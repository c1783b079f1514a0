/**
 * How many bytes of records are moved at a time, 16 KiB: the first-level cache holds them and their part of each plane.
 * Plane by plane over a whole frame, records of 36 bytes take twice as long.
 */
const TILE = 16 * 1024

/** Bytes of a word: four planes are moved at a time, as the bytes of a word of 32 bits. */
const WORD = 4

/** The same byte of some consecutive records, or the same four of them. */
interface Run {
  /** The number of the first plane. */
  plane: number
  isWord: boolean
  /** Where its bytes begin in the first plane, and in the records. */
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
  const { count, runs, view } = layOut(source, target, width, source)

  for (const { isWord, inPlane, inRecords, end } of runs) {
    if (isWord) {
      for (let from = inRecords, to = inPlane; from < end; from += width, to++) {
        const word = view.getInt32(from, true)
        target[to] = word
        target[to + count] = word >> 8
        target[to + 2 * count] = word >> 16
        target[to + 3 * count] = word >> 24
      }
    } else {
      for (let from = inRecords, to = inPlane; from < end; from += width) {
        target[to++] = source[from]
      }
    }
  }
}

/** The inverse of {@link shuffle}. */
export function unshuffle (source: Uint8Array, target: Uint8Array, width: number): void {
  const { count, runs, view } = layOut(source, target, width, target)

  for (const { isWord, inPlane, inRecords, end } of runs) {
    if (isWord) {
      for (let from = inPlane, to = inRecords; to < end; to += width, from++) {
        view.setInt32(to, source[from] | source[from + count] << 8 | source[from + 2 * count] << 16 |
          source[from + 3 * count] << 24, true)
      }
    } else {
      for (let from = inPlane, to = inRecords; to < end; to += width) {
        target[to] = source[from++]
      }
    }
  }
}

/**
 * Like {@link shuffle}, with the difference of each byte to the same byte of the record before it. Those of the first
 * record stay.
 */
export function toRecordPlanes (source: Uint8Array, target: Uint8Array, width: number): void {
  const { count, runs, view } = layOut(source, target, width, source)
  const last = new Int32Array(width)

  for (const { plane, isWord, inPlane, inRecords, end } of runs) {
    let before = last[plane]

    if (isWord) {
      for (let from = inRecords, to = inPlane; from < end; from += width, to++) {
        const word = view.getInt32(from, true)
        // four differences of bytes, without a borrow from one to the next
        const less = (word | 0x80808080) - (before & 0x7f7f7f7f) ^ (word ^ ~before) & 0x80808080
        target[to] = less
        target[to + count] = less >> 8
        target[to + 2 * count] = less >> 16
        target[to + 3 * count] = less >> 24
        before = word
      }
    } else {
      for (let from = inRecords, to = inPlane; from < end; from += width) {
        const byte = source[from]
        target[to++] = byte - before
        before = byte
      }
    }

    last[plane] = before
  }
}

/** The inverse of {@link toRecordPlanes}. */
export function fromRecordPlanes (source: Uint8Array, target: Uint8Array, width: number): void {
  const { count, runs, view } = layOut(source, target, width, target)
  const last = new Int32Array(width)

  for (const { plane, isWord, inPlane, inRecords, end } of runs) {
    let bytes = last[plane]

    if (isWord) {
      for (let from = inPlane, to = inRecords; to < end; to += width, from++) {
        const more = source[from] | source[from + count] << 8 | source[from + 2 * count] << 16 |
          source[from + 3 * count] << 24
        // four sums of bytes, without a carry from one to the next
        bytes = (bytes & 0x7f7f7f7f) + (more & 0x7f7f7f7f) ^ (bytes ^ more) & 0x80808080
        view.setInt32(to, bytes, true)
      }
    } else {
      for (let from = inPlane, to = inRecords; to < end; to += width) {
        bytes = bytes + source[from++] & 0xff
        target[to] = bytes
      }
    }

    last[plane] = bytes
  }
}

/**
 * How records are moved: all runs in the order of the tiles. The bytes behind the last record are copied here.
 *
 * @param records - the one of both that holds records
 */
function layOut (source: Uint8Array, target: Uint8Array, width: number, records: Uint8Array): {
  /** Records, and so bytes of a plane. */
  count: number
  runs: Iterable<Run>
  /** For words at any place: records may have any width, and begin anywhere in their memory. */
  view: DataView
} {
  const count = Math.floor(source.byteLength / width)
  target.set(source.subarray(count * width), count * width)

  return {
    count,
    runs: runsOf(count, width),
    view: new DataView(records.buffer, records.byteOffset, records.byteLength)
  }
}

function * runsOf (count: number, width: number): Generator<Run> {
  const step = Math.floor(TILE / width)

  for (let first = 0; first < count; first += step) {
    const end = Math.min(first + step, count) * width

    for (let plane = 0; plane < width;) {
      const isWord = plane + WORD <= width
      yield { plane, isWord, inPlane: plane * count + first, inRecords: first * width + plane, end }
      plane += isWord ? WORD : 1
    }
  }
}
