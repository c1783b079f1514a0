import type { MediaDemand, MediaHead, MediaPiece, MediaRequest } from '../worker/media-messages.ts'

/** A file that players read in part. */
export interface PlayedFile {
  /** Bytes of the file. */
  size: number
  /** Its media type. */
  type: string
  read: (range: { offset: number, length: number, signal: AbortSignal }) => AsyncIterable<Uint8Array>
}

interface Entry extends PlayedFile {
  /** Aborted when it is not played any more. */
  signal: AbortSignal
}

/** Answers the players of this page, whose requests the service worker passes on. */
export class PlayedFiles {
  /** Whether there is, or will be, a service worker. */
  readonly hasWorker: Promise<boolean>
  readonly #files = new Map<string, Entry>()

  constructor (hasWorker: Promise<boolean>) {
    this.hasWorker = hasWorker
    navigator.serviceWorker?.addEventListener('message', ({ data, ports }: MessageEvent<MediaRequest>) => {
      const [port] = ports

      if (port != null) {
        this.#answer(data, port)
      }
    })
  }

  /**
   * Let players read a file.
   *
   * @param signal - aborted when it is not played any more
   * @returns its URL, which only the service worker answers
   */
  add (file: PlayedFile, signal: AbortSignal): string {
    const name = crypto.randomUUID()

    this.#files.set(name, { ...file, signal })
    signal.addEventListener('abort', () => { this.#files.delete(name) }, { once: true })

    return `media/${name}`
  }

  #answer ({ media, range: header }: MediaRequest, port: MessagePort): void {
    const file = this.#files.get(media)
    const answer = (head: MediaHead): void => { port.postMessage(head) }

    if (file == null) {
      answer({ status: 404, headers: {} })
      return
    }

    const { size, type } = file
    const range = parseRange(header, size)

    if (range == null) {
      answer({ status: 416, headers: { 'content-range': `bytes */${size}` } })
      return
    }

    const { start, end } = range

    sendPieces(file, range, port)
    answer({
      status: header == null ? 200 : 206,
      headers: {
        'content-type': type,
        'content-length': String(end - start),
        'accept-ranges': 'bytes',
        'cache-control': 'no-store',
        ...header == null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }
      }
    })
  }
}

interface Range {
  start: number
  /** The byte behind the last one. */
  end: number
}

/** The bytes that a player asks for (RFC 9110, section 14.1.2): it asks for one range, from a start on. */
function parseRange (header: string | null, size: number): Range | undefined {
  const [, first, last] = header == null ? ['', '0', ''] : /^bytes=(\d+)-(\d*)$/.exec(header) ?? []

  if (first == null) {
    return undefined
  }

  const start = Number(first)
  const end = last == null || last === '' ? size : Math.min(Number(last) + 1, size)

  return start < end ? { start, end } : undefined
}

/** Send the next piece whenever one is asked for. */
function sendPieces (file: Entry, { start, end }: Range, port: MessagePort): void {
  const ended = new AbortController()
  const signal = AbortSignal.any([file.signal, ended.signal])
  const pieces = file.read({ offset: start, length: end - start, signal })[Symbol.asyncIterator]()
  const send = (piece: MediaPiece, transfer: Transferable[] = []): void => { port.postMessage(piece, transfer) }

  const sendNext = async (): Promise<void> => {
    try {
      const { done, value } = await pieces.next()

      if (done === true) {
        send({ done })
      } else {
        // a copy: a view would take its whole frame along
        const bytes = new Uint8Array(value)
        send({ bytes }, [bytes.buffer])
      }
    } catch (err) {
      send({ error: err instanceof Error ? err.message : String(err) })
    }
  }

  port.addEventListener('message', ({ data }: MessageEvent<MediaDemand>) => {
    if (data === 'next') {
      void sendNext()
    } else {
      // ends the read too, which may be between two pieces
      ended.abort()
      pieces.return?.().catch(() => {})
      port.close()
    }
  })
  port.start()
}
