import { unmark } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { createTarPacker } from 'modern-tar'
import * as raw from 'multiformats/codecs/raw'
import { BodyTooLargeError, GatewayError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { namesEtag } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { contentDisposition } from '../content-disposition.ts'
import { contentHeaders, notModified } from '../headers.ts'
import { openResponseBody } from '../response-body.ts'
import { tarEntries } from './tar-entries.ts'
import type { ResponseContext } from '../context.ts'
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
 * @throws {GatewayError} 406: it is not UnixFS
 * @throws {BodyTooLargeError} a file would have to be decompressed, and is too large
 * @throws {InvalidDagError} a name of the root directory is invalid, or leads out of it
 */
export async function respondTar (context: ResponseContext): Promise<Response> {
  const { request, resolved: { cid, stats, names }, components, init: { limits }, target: { query } } = context

  if (stats == null || ![dagPb.code as number, raw.code].includes(unmark(cid).code)) {
    throw new GatewayError(406, `${cid} is not UnixFS: only files and directories can be had as tar`)
  }

  const name = names.at(-1) ?? cid.toString()
  const headers = contentHeaders(context, {
    // weak, as another version of the gateway may write other bytes
    etag: `W/"${cid}.x-tar"`,
    type: MEDIA_TYPES.tar,
    ranges: false,
    disposition: contentDisposition(query, { type: 'attachment', filename: `${name}.tar` })
  })

  if (namesEtag(request.headers.get('if-none-match'), headers.get('etag') ?? '')) {
    return notModified(headers)
  }

  const unneeded = followSignal(context.signal)
  const { signal } = unneeded
  const entries = tarEntries(name, { ...await sized(stats, context), cid }, components, signal)
  const first = await entries.next()

  if (request.method === 'HEAD' || first.done === true) {
    unneeded.abort()
    await entries.return(undefined)

    return new Response(null, { headers })
  }

  checkSize(first.value, limits.decompressedBytes, limits.decompressedBytes)

  const { readable, controller } = createTarPacker()
  // it never rejects: a failure goes to the body
  void pack(first.value, entries, controller, { ...context, signal })

  return new Response(
    await openResponseBody(context, () => readStream(readable), { unneeded }),
    { headers }
  )
}

/** The bytes of a stream. Not all browsers can iterate over one. */
async function * readStream (stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()

  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield read.value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
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
      checkSize(entry, left, limits.decompressedBytes)
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

/** @throws {BodyTooLargeError} */
function checkSize ({ compressed, size }: TarEntry, left: number, limit: number): void {
  if (compressed && size > left) {
    throw new BodyTooLargeError(limit)
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
