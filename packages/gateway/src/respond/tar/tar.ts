import { unmark } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { createTarPacker } from 'modern-tar'
import * as raw from 'multiformats/codecs/raw'
import { BodyTooLargeError, GatewayError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { holdIn } from '../../memory/hold.ts'
import { namesEtag } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { OpenedFile } from '../../resolve/opened-file.ts'
import { contentDisposition } from '../content-disposition.ts'
import { contentHeaders, notModified } from '../headers.ts'
import { readFile, UNCOUNTED } from '../read-file.ts'
import { openResponseBody } from '../body.ts'
import { PackedBytes } from './packed-bytes.ts'
import { tarEntries } from './tar-entries.ts'
import { tarTime } from './tar-time.ts'
import type { ResponseContext } from '../context.ts'
import type { TarEntry } from './tar-entries.ts'
import type { Stats } from '@ipfsz/core'
import type { TarHeader } from 'modern-tar'

/** The modes of files and directories that have none. */
const MODES = { file: 0o644, directory: 0o755, symlink: 0o777 }

/** How much is written to an archive at a time. The packer waits for its reader from 8 MiB on. */
const PART_SIZE = 1024 * 1024

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
    throw new GatewayError(406, `${cid} is not UnixFS: only files and directories are available as tar`)
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
  const hold = holdIn(context.init.memory, UNCOUNTED, unneeded)
  const entries = tarEntries(name, { ...await sized(stats, context), cid }, components, { signal, hold })
  const first = await entries.next()

  if (request.method === 'HEAD' || first.done === true) {
    unneeded.abort()
    await entries.return(undefined)

    return new Response(null, { headers })
  }

  checkSize(first.value, limits.decompressedBytes, limits.decompressedBytes)

  return new Response(
    await openResponseBody(context, () => pack(first.value, entries, context, unneeded), { unneeded }),
    { headers }
  )
}

/** With the size of the original bytes, for which a stream of another tool has to be decompressed. */
async function sized (stats: Stats, { resolved: { cid }, components, signal }: ResponseContext): Promise<Stats> {
  return stats.sizeKnown === false
    ? { ...stats, size: (await components.fs.stat(cid, { extended: true, signal })).size }
    : stats
}

async function * pack (
  first: TarEntry,
  rest: AsyncGenerator<TarEntry>,
  context: ResponseContext,
  unneeded: AbortController
): AsyncGenerator<Uint8Array> {
  const { resolved, components: { fs }, init: { limits } } = context
  const { readable, controller } = createTarPacker()
  const packed = new PackedBytes(readable)
  let left = limits.decompressedBytes

  try {
    for (let entry: TarEntry | undefined = first; entry != null;) {
      const { type, cid, size, compressed: isCompressed } = entry
      checkSize(entry, left, limits.decompressedBytes)
      left -= isCompressed ? size : 0

      const writer = controller.add(headerOf(entry)).getWriter()

      if (type === 'file') {
        // what the path led to, or a file below it
        const file = (entry === first ? resolved.file : undefined) ?? new OpenedFile(cid, fs)

        for await (const bytes of readFile(context, { file, size, isCompressed }, unneeded)) {
          for (let i = 0; i < bytes.byteLength; i += PART_SIZE) {
            await writer.write(bytes.subarray(i, i + PART_SIZE))
            yield * packed.queued()
          }
        }
      }

      await writer.close()
      yield * packed.queued()

      const next: IteratorResult<TarEntry, unknown> = await rest.next()
      entry = next.done === true ? undefined : next.value
    }

    controller.finalize()
    yield * packed.queued()
  } finally {
    packed.close()
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
    ...tarTime(mtime),
    ...target == null ? {} : { linkname: target }
  }
}
