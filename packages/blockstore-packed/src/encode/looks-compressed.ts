/** Blocks of fewer bytes are compressed with others in any case. */
const MIN_SIZE = 256
/** How many bytes are looked at, in how many places. */
const SAMPLE = 1024
const WINDOWS = 4
/**
 * How often two bytes of a sample are the same, over how often two random ones are. 1.0 in what is compressed or
 * encrypted, 4 in base64, 10 and more in text and programs.
 */
const MAX_REPETITION = 1.35

const counts = new Uint16Array(256)

/** Whether bytes are probably compressed already: as random as bytes can be. Takes some two microseconds. */
export function looksCompressed (bytes: Uint8Array): boolean {
  const { byteLength: size } = bytes

  if (size < MIN_SIZE) {
    return false
  }

  counts.fill(0)
  const window = Math.min(SAMPLE, size) / WINDOWS
  let sampled = 0

  for (let i = 0; i < WINDOWS; i++) {
    const start = Math.floor((size - window) * i / (WINDOWS - 1))

    for (let at = start; at < start + window; at++) {
      counts[bytes[at]]++
      sampled++
    }
  }

  let same = 0

  for (const count of counts) {
    same += count * (count - 1)
  }

  return same * 256 < sampled * (sampled - 1) * MAX_REPETITION
}
