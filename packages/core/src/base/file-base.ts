import { collectBytes } from '@ipfsz/utils/bytes'
import { baseOf } from '../dag/base-link.ts'
import { BaseTooCostlyError, UnreadableBaseError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { openBase } from './base-content.ts'
import { BaseCost } from './base-cost.ts'
import { BaseReader } from './base-reader.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header, Region } from '../format/header.ts'
import type { RegionSource } from '../frames/compressed-file.ts'
import type { ReadFramesOptions } from '../frames/read-frames.ts'
import type { CID } from 'multiformats/cid'
import type { BaseContent, BaseSettings } from './base-content.ts'

/**
 * What reads the base of a compressed file. It is opened when a frame needs it, or soon will. Undefined if the file has
 * none.
 *
 * `read` throws an UnreadableBaseError, or a BaseTooCostlyError.
 */
export function fileBase (
  node: FileNode,
  header: Header,
  settings: BaseSettings,
  options: Omit<ReadFramesOptions, 'inFlightBytes'>
): RegionSource | undefined {
  if (!hasBase(header)) {
    return undefined
  }

  const cid = baseOf(node)
  // the events of reading are about the file itself, and pieces of the base are kept
  const { onProgress: _onProgress, transient: _transient, onOpenLinks: _onOpenLinks, ...quiet } = options
  const kept = options.readAhead === false ? 0 : settings.inFlightBytes
  let opening: Promise<{ reader: BaseReader, cost: BaseCost }> | undefined

  const open = async (): Promise<{ reader: BaseReader, cost: BaseCost }> => {
    const content = await openShared(cid, settings, quiet)

    return { reader: new BaseReader(cid, content, kept), cost: new BaseCost(content.size, content.pieceSize) }
  }

  return {
    cid,

    async read (region: Region, size: number) {
      try {
        const { reader, cost } = await (opening ??= open())
        cost.count(region, size, node.cid, cid)

        return await reader.read(region)
      } catch (err) {
        options.signal?.throwIfAborted()
        throw err instanceof BaseTooCostlyError ? err : new UnreadableBaseError(node.cid, cid, err)
      }
    },

    prepare (region: Region) {
      const prepare = async (): Promise<void> => { (await (opening ??= open())).reader.prepare(region) }
      // if the base cannot be opened, `read` says so
      prepare().catch(() => {})
    }
  }
}

/** The content of a base, whose pieces are those of others who read it at the same time. */
async function openShared (
  cid: CID,
  settings: BaseSettings,
  options: Omit<ReadFramesOptions, 'inFlightBytes'>
): Promise<BaseContent> {
  const content = await openBase(cid, settings, options)
  const pieces = settings.roots?.pieces

  if (pieces == null || !content.isOwned) {
    return content
  }

  return {
    ...content,
    isOwned: false,
    async * read (start: number, end: number) {
      const load = async (signal: AbortSignal): Promise<Uint8Array> => {
        const { read } = await openBase(cid, settings, { ...options, signal })

        return collectBytes(read(start, end))
      }

      yield await pieces.get(cid, start, load, options.signal)
    }
  }
}
