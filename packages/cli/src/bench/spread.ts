/** A range of bytes in one of several files. */
export interface Stretch {
  /** The index of the file. */
  file: number
  offset: number
  length: number
}

/** How many positions are tried at most, when a sample is taken from many small files. */
const MAX_PLACES = 4096

/**
 * Chooses the frames to measure: all if the files have no more than `limit` bytes together, otherwise
 * frames spread evenly over all bytes. The first of them are spread evenly too: slow levels are measured on those
 * alone. Deterministic: the same sizes yield the same frames.
 *
 * @param sizes - of the files, in bytes
 * @param frameSize - bytes of every frame except the last of a file
 * @param limit - maximum number of bytes of all chosen frames, at least `frameSize`
 */
export function spread (sizes: readonly number[], frameSize: number, limit: number): Stretch[] {
  const total = sizes.reduce((sum, size) => sum + size, 0)

  if (total <= limit) {
    const all = sizes.flatMap((size, file) =>
      Array.from({ length: Math.ceil(size / frameSize) }, (_, frame) => stretch(sizes, file, frame, frameSize)))

    return all.map((stretch, i) => ({ stretch, place: radicalInverse(i) }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ stretch }) => stretch)
  }

  const found = new Map<string, Stretch>()
  let length = 0

  for (let place = 0; place < MAX_PLACES; place++) {
    const next = stretchAt(sizes, Math.floor(radicalInverse(place) * total), frameSize)
    const key = `${next.file} ${next.offset}`

    if (found.has(key)) {
      continue
    }

    if (length + next.length > limit) {
      break
    }

    found.set(key, next)
    length += next.length
  }

  return [...found.values()]
}

/** The frame that holds a byte. `position` counts over all files. */
function stretchAt (sizes: readonly number[], position: number, frameSize: number): Stretch {
  let file = 0
  let before = 0

  while (position >= before + sizes[file]) {
    before += sizes[file++]
  }

  return stretch(sizes, file, Math.floor((position - before) / frameSize), frameSize)
}

function stretch (sizes: readonly number[], file: number, frame: number, frameSize: number): Stretch {
  const offset = frame * frameSize

  return { file, offset, length: Math.min(frameSize, sizes[file] - offset) }
}

/** 0, 1/2, 1/4, 3/4, 1/8, ...: any prefix of the sequence is spread about evenly (van der Corput). */
function radicalInverse (place: number): number {
  let result = 0

  for (let rest = place, digit = 0.5; rest > 0; rest >>= 1, digit /= 2) {
    result += (rest & 1) * digit
  }

  return result
}
