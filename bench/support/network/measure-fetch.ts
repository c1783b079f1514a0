import type { Fetched } from './messages.ts'

/**
 * Read a file to its end, and measure the time until its first byte and its last, and the processor time.
 *
 * @param read - begins to read when it is iterated
 * @param size - how many bytes the file has. Fewer or more are a failure, as is an error of `read`
 */
export async function measureFetch (read: AsyncIterable<Uint8Array>, size: number): Promise<Fetched> {
  const start = performance.now()
  const cpu = process.cpuUsage()
  let first = 0
  let fetched = 0
  let failure: string | undefined

  try {
    for await (const chunk of read) {
      first = first === 0 ? performance.now() - start : first
      fetched += chunk.byteLength
    }

    failure = fetched === size ? undefined : `read ${fetched} bytes of ${size}`
  } catch (err) {
    failure = err instanceof Error ? err.name : String(err)
  }

  const { user, system } = process.cpuUsage(cpu)

  return {
    first,
    wall: performance.now() - start,
    cpu: (user + system) / 1000,
    size: fetched,
    ...failure == null ? {} : { failure }
  }
}
