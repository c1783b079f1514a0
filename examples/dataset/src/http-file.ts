import { RangeFile } from './range-file.ts'

/** The most of a message that is shown. */
const MAX_MESSAGE = 500

/** Enough for the header of a database. */
const FIRST = 100

/**
 * Open a file over HTTP. Only a worker can: its thread waits for each range, because SQLite cannot wait for promises.
 * The requests of a worker go through the service worker like those of the page.
 *
 * @throws {Error} the file cannot be read in ranges
 */
export function openHttpFile (url: string): RangeFile {
  const { total } = request(url, 0, FIRST)

  return new RangeFile(total, (start, end) => request(url, start, end).bytes)
}

function request (url: string, start: number, end: number): { bytes: Uint8Array, total: number } {
  const xhr = new XMLHttpRequest()
  xhr.open('GET', url, false)
  xhr.responseType = 'arraybuffer'
  xhr.setRequestHeader('range', `bytes=${start}-${end - 1}`)
  xhr.send()

  const bytes = new Uint8Array(xhr.response as ArrayBuffer)
  const total = Number(/^bytes \d+-\d+\/(\d+)$/.exec(xhr.getResponseHeader('content-range') ?? '')?.[1])

  if (xhr.status !== 206 || !Number.isSafeInteger(total)) {
    const message = xhr.status < 400 ? 'The server does not support ranges' : messageOf(bytes)

    throw new Error(`The database cannot be read (status ${xhr.status}). ${message}`)
  }

  return { bytes, total }
}

function messageOf (bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_MESSAGE)).trim()
}
