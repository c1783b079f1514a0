/* oxlint-disable no-underscore-dangle -- the names of Node */
import { BufferPool } from '../frames/buffer-pool.ts'
import type * as NodeFs from 'node:fs'
import type { ReadStream, Stats } from 'node:fs'

type Fs = typeof NodeFs

/** What Node's file streams have besides, unlike their type. */
interface FileStream extends ReadStream {
  fd: number
  /** Where the next read begins, if that is not where the last one ended. */
  pos: number | undefined
  /** The last byte to read. */
  end: number
  /** Reads the next bytes, and pushes them. Called by the stream itself. */
  _read (size: number): void
  readonly _readableState?: { readonly reading?: boolean } | undefined
}

/** The name of the property of a file stream that holds the functions with which it reads. */
const FUNCTIONS = 'kFs'

/**
 * Reads a file stream in pieces of frames, whatever pieces the stream itself would read, into memory that is
 * reused. In the 64 KiB of `createReadStream`, reading takes as long as compressing; in pieces of any size, the
 * stream makes new memory for each, and the garbage collector takes a fifth of the time of an add.
 *
 * What it reads, the stream skips: the stream itself reads the end of the file, and what is appended meanwhile,
 * and ends and closes as always.
 *
 * @param pieceSize - in bytes
 * @returns undefined if the stream is not one of Node's on a file, or somebody else reads it
 */
export function filePieces (source: unknown, pieceSize: number): AsyncGenerator<Uint8Array> | undefined {
  const fs = (globalThis.process?.getBuiltinModule as ((name: string) => Fs) | undefined)?.('node:fs')

  if (fs == null || !isUnread(source, fs)) {
    return undefined
  }

  // thrown by the first read; until then, it would end the process without a listener
  source.on('error', () => {})

  return readPieces(source, pieceSize, fs)
}

function isUnread (source: unknown, fs: Fs): source is FileStream {
  // no subclass, and no methods of its own: they may change what is read
  if (!(source instanceof fs.ReadStream) || source.constructor !== fs.ReadStream ||
    ['_read', 'read', Symbol.asyncIterator].some(name => Object.hasOwn(source, name))) {
    return false
  }

  const symbol = Object.getOwnPropertySymbols(source).find(({ description }) => description === FUNCTIONS)
  const functions = symbol == null ? undefined : (source as unknown as Record<symbol, Partial<Fs> | undefined>)[symbol]

  // its `fd` means nothing to the system if the stream was given other functions to read with
  return functions?.read === fs.read && source.path != null && Object.hasOwn(source, 'pos') &&
    !source.readableDidRead && source.readableFlowing == null && source.readableLength === 0 &&
    source.readableEncoding == null && !source.readableObjectMode && !source.destroyed &&
    // a read under way, such as that of `read(0)`: its bytes arrive later
    (source as FileStream)._readableState?.reading === false
}

async function * readPieces (stream: FileStream, pieceSize: number, fs: Fs): AsyncGenerator<Uint8Array> {
  // not narrowed by this: it is a stream in any case
  if (!isUnread(stream as unknown, fs)) {
    // somebody has begun since
    yield * stream
    return
  }

  const pool = new BufferPool(pieceSize)
  const resume = pause(stream)
  let ended = false

  try {
    await opened(stream)
    const end = Math.min(await sizeOf(stream, fs), stream.end + 1)
    let position = stream.pos ?? 0

    // the stream itself takes a single read for less
    while (end - position > (stream.bytesRead === 0 ? stream.readableHighWaterMark : 0)) {
      const piece = pool.take(Math.min(pieceSize, end - position))
      const length = await readInto(piece, stream, position, fs)

      if (length === 0) {
        break
      }

      position += length
      stream.bytesRead += length
      yield length === piece.byteLength ? piece : piece.slice(0, length)
    }

    if (stream.bytesRead > 0) {
      stream.pos = position

      if (await readInto(new Uint8Array(1), stream, position, fs) === 0) {
        // so it need not look for the end, for which it would make another buffer
        stream.end = position - 1
      }
    }

    resume()
    yield * stream
    ended = true
  } finally {
    // at its end it closes itself, unless its owner has set `autoClose` to false
    if (!ended) {
      stream.destroy()
    }

    pool.close()
  }
}

/**
 * Hold back what the stream itself reads: it would be read twice. Anybody with the stream can make it read, and it does
 * so when it is opened if `read` was called before.
 *
 * @returns makes the stream read as usual, at once if it was to
 */
function pause (stream: FileStream): () => void {
  let wanted: number | undefined

  stream._read = size => { wanted = size }

  return () => {
    delete (stream as Partial<FileStream>)._read

    if (wanted != null) {
      stream._read(wanted)
    }
  }
}

async function opened (stream: ReadStream): Promise<void> {
  if (stream.pending) {
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        stream.off('open', end).off('close', end).off('error', fail)
        resolve()
      }
      const fail = (err: Error): void => {
        reject(err)
        end()
      }

      stream.on('open', end).on('close', end).on('error', fail)
    })
  }

  throwIfDestroyed(stream)
}

function throwIfDestroyed (stream: ReadStream): void {
  if (stream.destroyed) {
    throw stream.errored ?? new Error('The file was closed while it was read')
  }
}

/** @returns 0 if it is not a file, such as a pipe */
async function sizeOf ({ fd }: FileStream, fs: Fs): Promise<number> {
  const stats = await call<Stats>(done => { fs.fstat(fd, done) })

  return stats.isFile() ? stats.size : 0
}

/** Fill a piece, unless the file ends before. Returns how many bytes were read. */
async function readInto (piece: Uint8Array, stream: FileStream, start: number, fs: Fs): Promise<number> {
  const { fd } = stream
  let filled = 0

  while (filled < piece.byteLength) {
    const left = piece.byteLength - filled
    throwIfDestroyed(stream)

    // a position, always: if the stream is destroyed meanwhile, another file may get its descriptor
    const length = await call<number>(done => { fs.read(fd, piece, filled, left, start + filled, done) })
      .catch((err: unknown) => {
        throwIfDestroyed(stream)
        throw err
      })

    throwIfDestroyed(stream)

    if (length === 0) {
      break
    }

    filled += length
  }

  return filled
}

async function call<T> (run: (done: (err: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((err, value) => {
      if (err == null) {
        resolve(value)
      } else {
        reject(err)
      }
    })
  })
}
