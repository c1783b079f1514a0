/* oxlint-disable unicorn/consistent-function-scoping -- a function is sent as text: it can use nothing outside of it */

/** Functions that run in a page of a browser, or in Node. */

/** Headers that are the same for `GET` and `HEAD`, unless the body has a coding. */
export const COMPARED_HEADERS = [
  'accept-ranges', 'cache-control', 'content-encoding', 'content-length', 'content-type', 'etag', 'vary'
]

/** A request, with headers that the client does not send by itself. */
export interface Asked {
  url: string
  headers?: Record<string, string> | undefined
}

export interface Answer {
  status: number
  /** Its `Content-Encoding`, or `identity`. */
  encoding: string
  /** Its `Content-Length`. */
  length: string | null
  /** Bytes and SHA-256 of the body, decompressed by the client. */
  bytes: number
  sha256: string
  /** Bytes of the body as they came over the wire. Only pages know it, of their own origin. */
  wire?: number | undefined
  /** `http/1.1` or `h2`, where the client tells. */
  protocol?: string | undefined
  /** Those of `COMPARED_HEADERS` that `HEAD` answers differently. */
  unlikeHead: string[]
}

/** Read what is asked for, as many at a time as the client wants. */
export async function readAll (
  { asked, comparedHeaders }: { asked: Asked[], comparedHeaders: string[] }
): Promise<Answer[]> {
  const hex = (digest: ArrayBuffer): string =>
    Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')

  const timingOf = async (url: string): Promise<PerformanceResourceTiming> => {
    for (;;) {
      const [timing] = performance.getEntriesByName(url) as PerformanceResourceTiming[]

      if (timing != null) {
        return timing
      }

      await new Promise(resolve => { setTimeout(resolve) })
    }
  }

  const read = async ({ url, headers = {} }: Asked): Promise<Answer> => {
    const response = await fetch(url, { headers, cache: 'no-store' })
    const body = await response.arrayBuffer()
    const isOwn = 'location' in globalThis && url.startsWith(`${location.origin}/`)
    const timing = isOwn ? await timingOf(url) : undefined
    const head = await fetch(url, { headers, method: 'HEAD', cache: 'no-store' })

    return {
      status: response.status,
      encoding: response.headers.get('content-encoding') ?? 'identity',
      length: response.headers.get('content-length'),
      bytes: body.byteLength,
      sha256: hex(await crypto.subtle.digest('SHA-256', body)),
      wire: timing?.encodedBodySize,
      protocol: timing?.nextHopProtocol,
      unlikeHead: comparedHeaders.filter(name => response.headers.get(name) !== head.headers.get(name))
    }
  }

  // the list of timings is bounded
  performance.clearResourceTimings()

  return Promise.all(asked.map(read))
}

/** How far a body was read, and how that ended: undefined while it runs. */
export interface Reading {
  received: number
  ended?: string | undefined
}

/** Begin to read bodies. How far each is read is in the global `readings`. */
export function startReading (asked: Asked[]): void {
  const read = async ({ url, headers = {} }: Asked, reading: Reading): Promise<void> => {
    const { body } = await fetch(url, { headers, cache: 'no-store' })
    const reader = (body as ReadableStream<Uint8Array>).getReader()

    for (;;) {
      const { done, value } = await reader.read()

      if (done) {
        return
      }

      reading.received += value.byteLength
    }
  }

  Object.assign(globalThis, {
    readings: asked.map(one => {
      const reading: Reading = { received: 0 }

      const end = (how: string) => (): void => { reading.ended = how }

      read(one, reading).then(end('whole'), end('error'))

      return reading
    })
  })
}

/** The progress of `startReading`. */
export function readings (): Reading[] {
  return (globalThis as unknown as { readings: Reading[] }).readings
}

export interface Played {
  /** Seconds. */
  duration: number
  /** Where it was after seeking, in seconds. It played on from there: how far depends on how busy the machine is. */
  reached: number
  /** What went wrong, if something did. */
  error?: string | undefined
}

/** Load a medium, seek to nine tenths of it, and play on from there until some time has passed. */
export async function seekAndPlay ({ kind, url }: { kind: 'audio' | 'video', url: string }): Promise<Played> {
  const medium = document.createElement(kind)
  const happened = async (name: string): Promise<unknown> => new Promise((resolve, reject) => {
    medium.addEventListener(name, resolve, { once: true })
    medium.addEventListener('error', () => { reject(new Error(medium.error?.message)) }, { once: true })
  })

  medium.muted = true
  medium.preload = 'metadata'

  const loaded = happened('loadedmetadata')
  medium.src = url
  document.body.append(medium)

  try {
    await loaded
    const target = medium.duration * 0.9
    const sought = happened('seeked')
    medium.currentTime = target
    await sought
    const reached = medium.currentTime
    await medium.play()

    while (medium.currentTime < target + 0.2) {
      await happened('timeupdate')
    }

    return { duration: medium.duration, reached }
  } catch (err) {
    return { duration: medium.duration, reached: medium.currentTime, error: String(err) }
  } finally {
    medium.remove()
  }
}

/** Seek to nine tenths with the player that the page shows, and play on from there until some time has passed. */
export async function seekInPlayer (): Promise<Played> {
  const medium = document.querySelector<HTMLMediaElement>('audio, video')

  if (medium == null) {
    return { duration: 0, reached: 0, error: 'there is no player' }
  }

  const happened = async (name: string): Promise<unknown> => new Promise((resolve, reject) => {
    medium.addEventListener(name, resolve, { once: true })
    medium.addEventListener('error', () => { reject(new Error(medium.error?.message)) }, { once: true })
  })

  try {
    if (medium.error != null) {
      throw new Error(medium.error.message)
    }

    if (medium.readyState < HTMLMediaElement.HAVE_METADATA) {
      await happened('loadedmetadata')
    }

    const target = medium.duration * 0.9
    const sought = happened('seeked')
    medium.muted = true
    medium.currentTime = target
    await sought
    const reached = medium.currentTime
    await medium.play()

    while (medium.currentTime < target + 0.2) {
      await happened('timeupdate')
    }

    medium.pause()

    return { duration: medium.duration, reached }
  } catch (err) {
    return { duration: medium.duration, reached: medium.currentTime, error: String(err) }
  }
}
