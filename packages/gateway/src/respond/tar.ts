import * as dagPb from '@ipld/dag-pb'
import { createTarPacker } from 'modern-tar'
import * as raw from 'multiformats/codecs/raw'
import { unmark } from '@ipfsz/core'
import { GatewayError } from '../errors.ts'
import { MEDIA_TYPES } from '../request/format.ts'
import { tooLarge } from './decompression-limit.ts'
import { isNotModified, namesOf, notModified, representationHeaders } from './representation.ts'
import { tarEntries } from './tar-entries.ts'
import type { ResponseContext } from './context.ts'
import type { TarEntry } from './tar-entries.ts'
import type { Stats } from '@ipfsz/core'
import type { TarHeader, TarPackController } from 'modern-tar'

/** The modes of files and directories that have none. */
const MODES = { file: 0o644, directory: 0o755, symlink: 0o777 }

/** The latest time that the header of an entry can hold, in seconds since 1970. */
const MAX_MTIME = 8 ** 11 - 1

/**
 * A file or directory as a tar archive (specs.ipfs.tech/ipips/ipip-0288). The files of a marked
 * CID are decompressed. Its root has the last name of the path, or is named by its CID. A failure
 * after the first entry cuts the body.
 *
 * @throws {GatewayError} 406: it is not UnixFS. 403: a file would have to be decompressed, and is too large
 * @throws {InvalidDagError} a name of the root directory is invalid, or leads out of it
 */
export async function respondTar (context: ResponseContext): Promise<Response> {
  const { request, resolved: { cid, stats, rest }, components, init, signal } = context

  if (stats == null || rest.length > 0 || ![dagPb.code as number, raw.code].includes(unmark(cid).code)) {
    throw new GatewayError(406, `${cid} is not UnixFS: only files and directories can be had as tar`)
  }

  const name = namesOf(context).at(-1) ?? cid.toString()
  const etag = `W/"${cid}.x-tar"`
  const headers = representationHeaders(context, {
    etag,
    contentType: MEDIA_TYPES.tar,
    disposition: { type: 'attachment', filename: `${name}.tar` }
  })

  headers.set('accept-ranges', 'none')

  if (isNotModified(request, etag)) {
    return notModified(headers)
  }

  const entries = tarEntries(name, { ...await sized(stats, context), cid }, components, signal)
  const first = await entries.next()

  if (request.method === 'HEAD' || first.done === true) {
    await entries.return(undefined)

    return new Response(null, { headers })
  }

  checkSize(first.value, init.limits.decompressedBytes)

  const { readable, controller } = createTarPacker()
  // it never rejects: a failure goes to the body
  void pack(first.value, entries, controller, context)

  return new Response(readable, { headers })
}

/** With the size of the original bytes, for which a stream of another tool has to be decompressed. */
async function sized (stats: Stats, { resolved: { cid }, components, signal }: ResponseContext): Promise<Stats> {
  return stats.sizeKnown === false
    ? { ...stats, size: (await components.fs.stat(cid, { extended: true, signal })).size }
    : stats
}

async function pack (
  first: TarEntry,
  rest: AsyncGenerator<TarEntry>,
  controller: TarPackController,
  { components, signal, init: { limits } }: ResponseContext
): Promise<void> {
  let left = limits.decompressedBytes

  try {
    for (let entry: TarEntry | undefined = first; entry != null;) {
      checkSize(entry, left)
      left -= entry.compressed ? entry.size : 0

      const writer = controller.add(headerOf(entry)).getWriter()

      if (entry.type === 'file') {
        for await (const bytes of components.fs.cat(entry.cid, { signal })) {
          await writer.write(bytes)
        }
      }

      await writer.close()

      const next: IteratorResult<TarEntry, unknown> = await rest.next()
      entry = next.done === true ? undefined : next.value
    }

    controller.finalize()
  } catch (err) {
    controller.error(err)
    await rest.return(undefined).catch(() => {})
  }
}

/** @throws {GatewayError} 403 */
function checkSize ({ compressed, size }: TarEntry, limit: number): void {
  if (compressed && size > limit) {
    throw tooLarge(limit)
  }
}

/** Names of more than 255 bytes and sizes of 8 GiB and more go into pax records. */
function headerOf ({ path, type, size, mode, mtime, target }: TarEntry): TarHeader {
  return {
    name: path.join('/') + (type === 'directory' ? '/' : ''),
    type,
    size,
    mode: mode ?? MODES[type],
    mtime: new Date(Math.min(Math.max(mtime ?? 0, 0), MAX_MTIME) * 1000),
    ...target == null ? {} : { linkname: target }
  }
}
