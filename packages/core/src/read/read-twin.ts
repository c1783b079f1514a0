import { openEntry } from './entry.ts'
import { emit } from '../events.ts'
import { isChecked } from '../links/link-entries.ts'
import { unmark } from '../marker.ts'
import type { Entry } from './entry.ts'
import type { CatOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** What blockstores, and those who fetch for them, call a block that cannot be had. */
const LOST = new Set(['NotFoundError', 'GetFailedError', 'CorruptBlockError', 'BlockNotFoundWhileOfflineError', 'LoadBlockFailedError', 'FetchStalledError', 'NotFetchedError'])

/** The compressed file that an original is linked to. */
interface Twin {
  entry: Entry
  /** Its marked CID. */
  compressed: CID
}

type Read = (entry: Entry, settings: Settings, options: CatOptions) => AsyncGenerator<Uint8Array>

/**
 * Read a plain file. From the first block on that is not here, it is read from the
 * compressed file that it is linked to, if that is here and its bytes were compared
 * with this CID: such a link vouches for any part of the file. Others are asked for a
 * block where there is no such file, or it lacks one itself.
 *
 * @param read - reads an entry, by itself
 */
export async function * readWithTwin (entry: Entry, read: Read, settings: Settings, options: CatOptions): AsyncGenerator<Uint8Array> {
  const { blockstore } = settings
  let opening: Promise<Twin | undefined> | undefined
  const openOnce = async (): Promise<Twin | undefined> => opening ??= openTwin(entry, settings, options)
  let twin: Twin | undefined
  let done = 0

  const readRest = async function * (entry: Entry, blockstore: Settings['blockstore']): AsyncGenerator<Uint8Array> {
    const { offset = 0, length } = options

    for await (const bytes of read(entry, { ...settings, blockstore }, { ...options, offset: offset + done, ...length == null ? {} : { length: length - done } })) {
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
    // it cannot be read to its end either
    options.signal?.throwIfAborted()
  }

  yield * readRest(entry, blockstore)
}

function withGet (blockstore: Settings['blockstore'], get: Blockstore['get']): Settings['blockstore'] {
  // what else it has tells how far ahead to read
  return { ...blockstore, get }
}

function getHere (blockstore: Settings['blockstore'], cid: CID, options: Parameters<Blockstore['get']>[1]): ReturnType<Blockstore['get']> {
  return blockstore.get(cid, { ...options, offline: true } as typeof options)
}

/** The compressed file, where it is here and known to hold the bytes of the original. */
async function openTwin ({ cid }: Entry, { blockstore, links, roots }: Settings, options: CatOptions): Promise<Twin | undefined> {
  try {
    const link = await links.linkOf(cid)

    if (link == null || !isChecked(link) || !await blockstore.has(unmark(link.compressed), options as Parameters<Blockstore['has']>[1])) {
      return undefined
    }

    return { entry: await openEntry(link.compressed, blockstore, { ...options, path: '' }, roots), compressed: link.compressed }
  } catch {
    // what is said is what is wrong with the original
    options.signal?.throwIfAborted()

    return undefined
  }
}

function isLost (err: unknown): boolean {
  return err instanceof Error && LOST.has(err.name)
}
