/**
 * How many bytes of records are moved at a time, 16 KiB: the first-level cache holds them and their part of each plane.
 * Plane by plane over a whole frame, records of 36 bytes take twice as long.
 */
const TILE = 16 * 1024

/** The same bytes of some consecutive records: one, two, or four of them, as a word of 32 bits. */
interface Run {
  /** The number of the first plane, and how many planes these are. */
  plane: number
  planes: 1 | 2 | 4
  /** Where its bytes begin in the first plane, and in the records. */
  inPlane: number
  inRecords: number
  /** Where the records end. */
  end: number
}

/** What happens to the bytes of each plane. */
export type Differences =
  | 'none'
  /** Each is the difference to the same byte of the record before. Those of the first record stay. */
  | 'records'
  /**
   * The same, and those of the first record are differences to the last byte of the plane before: as if differences of
   * all bytes were taken after the planes.
   */
  | 'bytes'

/**
 * Transpose records into byte planes: first the first bytes of all records, then all second ones, and so on. The bytes
 * behind the last record stay, but for their differences.
 *
 * @param target - other memory of the same length
 * @param width - bytes of a record
 */
export function toPlanes (source: Uint8Array, target: Uint8Array, width: number, differences: Differences): void {
  const { count, runs, view, rest } = layOut(source, width, source)
  const last = differences === 'bytes' ? lastOfPlanes(source, width, count) : new Int32Array(width)
  // without differences, what is subtracted is always 0
  const kept = differences === 'none' ? 0 : -1
  target.set(rest, source.byteLength - rest.byteLength)

  for (const { plane, planes, inPlane, inRecords, end } of runs) {
    let before = last[plane]

    if (planes === 4) {
      for (let from = inRecords, to = inPlane; from < end; from += width, to++) {
        const word = view.getInt32(from, true)
        // four differences of bytes, without a borrow from one to the next
        const less = (word | 0x80808080) - (before & 0x7f7f7f7f) ^ (word ^ ~before) & 0x80808080
        target[to] = less
        target[to + count] = less >> 8
        target[to + 2 * count] = less >> 16
        target[to + 3 * count] = less >> 24
        before = word & kept
      }
    } else if (planes === 2) {
      for (let from = inRecords, to = inPlane; from < end; from += width, to++) {
        const pair = view.getUint16(from, true)
        target[to] = pair - before
        target[to + count] = (pair >> 8) - (before >> 8)
        before = pair & kept
      }
    } else {
      for (let from = inRecords, to = inPlane; from < end; from += width) {
        const byte = source[from]
        target[to++] = byte - before
        before = byte & kept
      }
    }

    last[plane] = before
  }

  if (differences === 'bytes') {
    let before = source[count * width - 1] ?? 0

    for (let i = count * width; i < source.byteLength; i++) {
      target[i] = source[i] - before
      before = source[i]
    }
  }
}

/** The inverse of {@link toPlanes}. */
export function fromPlanes (source: Uint8Array, target: Uint8Array, width: number, differences: Differences): void {
  const { count, runs, view, rest } = layOut(source, width, target)
  const last = differences === 'bytes' ? sumsOfPlanes(source, width, count) : new Int32Array(width)
  // without differences, what is added is always 0
  const kept = differences === 'none' ? 0 : -1
  target.set(rest, source.byteLength - rest.byteLength)

  for (const { plane, planes, inPlane, inRecords, end } of runs) {
    let bytes = last[plane]

    if (planes === 4) {
      for (let from = inPlane, to = inRecords; to < end; to += width, from++) {
        const more = source[from] | source[from + count] << 8 | source[from + 2 * count] << 16 |
          source[from + 3 * count] << 24
        // four sums of bytes, without a carry from one to the next
        bytes = ((bytes & 0x7f7f7f7f) + (more & 0x7f7f7f7f) ^ (bytes ^ more) & 0x80808080)
        view.setInt32(to, bytes, true)
        bytes &= kept
      }
    } else if (planes === 2) {
      for (let from = inPlane, to = inRecords; to < end; to += width, from++) {
        const more = source[from] | source[from + count] << 8
        bytes = (bytes & 0x7f7f) + (more & 0x7f7f) ^ (bytes ^ more) & 0x8080
        view.setUint16(to, bytes, true)
        bytes &= kept
      }
    } else {
      for (let from = inPlane, to = inRecords; to < end; to += width) {
        bytes = bytes + source[from++] & 0xff
        target[to] = bytes
        bytes &= kept
      }
    }

    last[plane] = bytes
  }

  if (differences === 'bytes') {
    let byte = target[count * width - 1] ?? 0

    for (let i = count * width; i < source.byteLength; i++) {
      byte = byte + source[i] & 0xff
      target[i] = byte
    }
  }
}

/** How records are moved: all runs in the order of the tiles. */
function layOut (source: Uint8Array, width: number, records: Uint8Array): {
  /** Records, and so bytes of a plane. */
  count: number
  runs: Iterable<Run>
  /** For words at any place: records may have any width, and begin anywhere in their memory. */
  view: DataView
  /** The bytes behind the last record. */
  rest: Uint8Array
} {
  const count = Math.floor(source.byteLength / width)

  return {
    count,
    runs: runsOf(count, width),
    view: new DataView(records.buffer, records.byteOffset, records.byteLength),
    rest: source.subarray(count * width)
  }
}

/** For each run, the bytes of the planes before its own, as if a record stood before the first. */
function lastOfPlanes (records: Uint8Array, width: number, count: number): Int32Array {
  const last = count === 0 ? [] : [0, ...records.subarray((count - 1) * width, count * width - 1)]

  return joinBytes(last, width)
}

/** The same from differences: what all of them up to a plane add up to. */
function sumsOfPlanes (planes: Uint8Array, width: number, count: number): Int32Array {
  const sums = [0]

  for (let plane = 1; plane < width; plane++) {
    sums.push(sums[plane - 1] + sumOf(planes.subarray((plane - 1) * count, plane * count)) & 0xff)
  }

  return joinBytes(sums, width)
}

/** Bytes as the numbers that runs have. */
function joinBytes (bytes: readonly number[], width: number): Int32Array {
  return Int32Array.from({ length: width }, (_, plane) => {
    const [first = 0, second = 0, third = 0, fourth = 0] = bytes.slice(plane, plane + planesAt(plane, width))

    return first | second << 8 | third << 16 | fourth << 24
  })
}

function sumOf (bytes: Uint8Array): number {
  let sum = 0

  for (let i = 0; i < bytes.byteLength; i++) {
    sum = sum + bytes[i] | 0
  }

  return sum
}

function planesAt (plane: number, width: number): 1 | 2 | 4 {
  if (plane + 4 <= width) {
    return 4
  }

  return plane + 2 <= width ? 2 : 1
}

function * runsOf (count: number, width: number): Generator<Run> {
  const step = Math.floor(TILE / width)

  for (let first = 0; first < count; first += step) {
    const end = Math.min(first + step, count) * width

    for (let plane = 0; plane < width;) {
      const planes = planesAt(plane, width)
      yield { plane, planes, inPlane: plane * count + first, inRecords: first * width + plane, end }
      plane += planes
    }
  }
}
