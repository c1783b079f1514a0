import { openEntry } from './entry.ts'
import { emit } from '../events.ts'
import { isChecked } from '../links/link-entries.ts'
import { unmark } from '../marker.ts'
import type { Entry } from './entry.ts'
import type { CatOptions } from '../unixfs.ts'
import type { ReadSettings } from './read-settings.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The error names with which blockstores, and the code that fetches for them, report a missing or damaged block. */
const LOST_BLOCK_ERRORS = new Set([
  'NotFoundError',
  'GetFailedError',
  'CorruptBlockError',
  'BlockNotFoundWhileOfflineError',
  'LoadBlockFailedError',
  'FetchStalledError',
  'GatewaysFailedError'
])

/** The compressed file that an original is linked to. */
interface Twin {
  entry: Entry
  /** Its marked CID. */
  compressed: CID
}

type Read = (entry: Entry, settings: ReadSettings, options: CatOptions) => AsyncGenerator<Uint8Array>

/**
 * Read a plain file. If a block is not in this blockstore, read the rest from the compressed file that a link names,
 * if it is here and the link is checked: its bytes were then compared with this CID. The network is asked for a block
 * only if there is no such file, or if the compressed file lacks a block too.
 *
 * @param read - reads one entry, without regard to links
 */
export async function * readWithTwin (
  entry: Entry,
  read: Read,
  settings: ReadSettings,
  options: CatOptions
): AsyncGenerator<Uint8Array> {
  const { blockstore } = settings
  let opening: Promise<Twin | undefined> | undefined
  const openOnce = async (): Promise<Twin | undefined> => opening ??= openTwin(entry, settings, options)
  let twin: Twin | undefined
  let done = 0

  const readRest = async function * (entry: Entry, blockstore: ReadSettings['blockstore']): AsyncGenerator<Uint8Array> {
    const { offset = 0, length } = options

    const rest = { ...options, offset: offset + done, ...length == null ? {} : { length: length - done } }

    for await (const bytes of read(entry, { ...settings, blockstore }, rest)) {
      done += bytes.byteLength
      yield bytes
    }
  }

  try {
    yield * readRest(entry, withGet(blockstore, async function * (cid, getOptions) {
      try {
        yield * getHere(blockstore, cid, getOptions)
        return
      } catch (err) {
        if (!isLost(err) || await openOnce() != null) {
          throw err
        }
      }

      yield * blockstore.get(cid, getOptions)
    }))

    return
  } catch (err) {
    twin = isLost(err) ? await openOnce() : undefined

    if (twin == null) {
      throw err
    }

    emit(options, 'ipfsz:link:instead', { original: entry.cid, compressed: twin.compressed, error: err as Error })
  }

  try {
    yield * readRest(twin.entry, withGet(blockstore, (cid, getOptions) => getHere(blockstore, cid, getOptions)))

    return
  } catch {
    // the compressed file cannot be read to its end either
    options.signal?.throwIfAborted()
  }

  yield * readRest(entry, blockstore)
}

function withGet (blockstore: ReadSettings['blockstore'], get: Blockstore['get']): ReadSettings['blockstore'] {
  return {
    get,
    put: (...args) => blockstore.put(...args),
    has: (...args) => blockstore.has(...args),
    checksBlocks: blockstore.checksBlocks,
    readAheadBytes: blockstore.readAheadBytes,
    fetches: () => blockstore.fetches?.() === true,
    isUnshared: bytes => blockstore.isUnshared?.(bytes) === true
  }
}

function getHere (
  blockstore: ReadSettings['blockstore'],
  cid: CID,
  options: Parameters<Blockstore['get']>[1]
): ReturnType<Blockstore['get']> {
  return blockstore.get(cid, { ...options, offline: true } as typeof options)
}

/** The compressed file, or undefined if it is not here or its link is not checked. */
async function openTwin (
  { cid }: Entry,
  settings: ReadSettings,
  options: CatOptions
): Promise<Twin | undefined> {
  const { blockstore, links, roots } = settings

  try {
    const link = await links.linkOf(cid)

    if (link == null || !isChecked(link)) {
      return undefined
    }

    if (!await blockstore.has(unmark(link.compressed), options as Parameters<Blockstore['has']>[1])) {
      return undefined
    }

    return {
      entry: await openEntry(link.compressed, settings, { ...options, path: '' }, roots),
      compressed: link.compressed
    }
  } catch {
    // the caller reports the error of the original instead
    options.signal?.throwIfAborted()

    return undefined
  }
}

function isLost (err: unknown): boolean {
  return err instanceof Error && LOST_BLOCK_ERRORS.has(err.name)
}
