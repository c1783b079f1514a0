import { openBody } from './body.ts'
import { SAMPLE_LENGTH, TypeCache, typeOfBytes, typeOfName } from './content-type.ts'
import { contentDisposition, contentHeaders, etagOf, notModified, rangeNotSatisfiable } from './headers.ts'
import { canSend, chooseRepresentation, readStart, storedBytes } from './stored-file.ts'
import { GatewayError } from '../errors.ts'
import { acceptsCoding } from '../request/accept-encoding.ts'
import { matchesEtag, matchesIfRange } from '../request/conditions.ts'
import { parseRange } from '../request/range.ts'
import type { ResponseContext } from './context.ts'
import type { Representation } from './stored-file.ts'
import type { ByteRange } from '../request/range.ts'
import type { StoredFile, Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Another file than the path's own, such as the `index.html` of a directory or a 404 page. */
export interface FileOptions {
  /** @default that of `resolved` */
  cid?: CID | undefined
  /** @default that of `resolved` */
  stats?: Stats | undefined
  /**
   * The name that tells the type.
   *
   * @default the last name of the path
   */
  name?: string | undefined
  /**
   * The CID that the ETag names.
   *
   * @default that of the file
   */
  etagCid?: CID | undefined
  /**
   * Other statuses than 200 have no ranges.
   *
   * @default 200
   */
  status?: number | undefined
}

/** A file that is to be served. */
interface File {
  cid: CID
  name: string | undefined
  /** Original bytes. Undefined: known only at the end of a stream that another tool compressed. */
  size: number | undefined
  isCompressed: boolean
  /** The target of a symlink. */
  content?: Uint8Array | undefined
}

/** How a file goes out. */
interface Sending {
  etag: string
  range?: ByteRange | undefined
  stored?: { file: StoredFile, representation: Representation } | undefined
}

const types = new WeakMap<object, TypeCache>()

/**
 * A file, compressed or not. Without a range, frames go out as they are stored if the client takes
 * their codec; everything else goes out decompressed.
 *
 * @throws {GatewayError} 406: the file is too large to decompress for one response
 */
export async function respondFile (context: ResponseContext, options: FileOptions = {}): Promise<Response> {
  const { request } = context
  const file = describe(context, options)
  const etagCid = options.etagCid ?? file.cid
  const { status = 200 } = options
  const range = status === 200 ? rangeOf(request, file, etagOf(etagCid)) : undefined
  const stored = range == null ? await findStored(context, file) : undefined
  const etag = etagOf(etagCid, stored?.representation.coding)
  const headersOf = async (sending: Sending): Promise<Headers> => contentHeaders(context, {
    etag: sending.etag,
    type: await typeOf(context, file),
    length: lengthOf(file, sending),
    encoding: sending.stored?.representation.coding,
    variesByEncoding: file.isCompressed,
    ranges: status === 200 ? file.size != null : undefined,
    range: sending.range == null || file.size == null ? undefined : { range: sending.range, size: file.size },
    disposition: contentDisposition(context.target, { fallback: file.name })
  })

  if (status === 200 && matchesEtag(request.headers.get('if-none-match'), etag)) {
    return notModified(contentHeaders(context, { etag, type: '', variesByEncoding: file.isCompressed }))
  }

  if (range === 'unsatisfiable') {
    return rangeNotSatisfiable(context, file.size ?? 0)
  }

  const sending = await isSendable(stored, context) ? { etag, range, stored } : { etag: etagOf(etagCid), range }
  checkLimit(context, file, sending)

  if (request.method === 'HEAD') {
    return new Response(null, { status: range == null ? status : 206, headers: await headersOf(sending) })
  }

  const headers = await headersOf(sending)
  const body = await openBody(signal => read(context, file, sending, signal), {
    signal: context.signal,
    stallTimeout: context.init.limits.stallTimeout,
    length: lengthOf(file, sending),
    limit: file.size == null ? context.init.limits.decompressedBytes : undefined
  })

  return new Response(body, { status: range == null ? status : 206, headers })
}

function describe ({ resolved, target }: ResponseContext, options: FileOptions): File {
  const { cid = resolved.cid, stats = resolved.stats } = options

  if (stats == null || stats.type === 'directory') {
    throw new GatewayError(500, `${cid} is not a file`)
  }

  const filename = target.query.get('filename')
  const content = stats.unixfs?.type === 'symlink' ? stats.unixfs.data ?? new Uint8Array(0) : undefined

  return {
    cid,
    name: filename == null || filename === '' ? options.name ?? target.path.at(-1) : filename,
    size: content?.byteLength ?? (stats.sizeKnown === false ? undefined : Number(stats.size)),
    isCompressed: stats.codec !== 'none',
    content
  }
}

/** The range that is answered: of a GET, of a file whose size is known, and if `If-Range` does not forbid it. */
function rangeOf ({ method, headers }: Request, { size }: File, etag: string): ByteRange | 'unsatisfiable' | undefined {
  if (method !== 'GET' || size == null || !matchesIfRange(headers.get('if-range'), etag)) {
    return undefined
  }

  return parseRange(headers.get('range'), size)
}

async function findStored (
  { components: { fs }, request, signal }: ResponseContext,
  { cid, isCompressed }: File
): Promise<Sending['stored']> {
  if (!isCompressed) {
    return undefined
  }

  const file = await fs.storedFile(cid, { signal })
  const representation = file == null
    ? undefined
    : chooseRepresentation(file, coding => acceptsCoding(request.headers, coding))

  return file == null || representation == null ? undefined : { file, representation }
}

async function isSendable (stored: Sending['stored'], { signal }: ResponseContext): Promise<boolean> {
  signal.throwIfAborted()

  return stored != null && canSend(stored.representation, await readStart(stored.file.frames()))
}

function lengthOf ({ size }: File, { range, stored }: Sending): number | undefined {
  return stored?.representation.length ?? (range == null ? size : range.end - range.start)
}

function checkLimit ({ init: { limits } }: ResponseContext, file: File, { range, stored }: Sending): void {
  const { size = 0, isCompressed } = file

  if (isCompressed && stored == null && range == null && size > limits.decompressedBytes) {
    throw new GatewayError(
      406,
      `The file decompresses to ${size} bytes, more than the ${limits.decompressedBytes} of one response. ` +
        'Ask for ranges, or accept the encoding that it is stored in'
    )
  }
}

function read (
  { components: { fs } }: ResponseContext,
  { cid, content }: File,
  { range, stored }: Sending,
  signal: AbortSignal
): AsyncIterable<Uint8Array> {
  if (stored != null) {
    return storedBytes(stored.file, stored.representation, stored.file.frames({ signal }))
  }

  if (content != null) {
    return once(content.subarray(range?.start, range?.end))
  }

  return fs.cat(cid, { signal, ...range == null ? {} : { offset: range.start, length: range.end - range.start } })
}

async function * once (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** From the name, or from the first bytes, which are decompressed once for each file. */
async function typeOf ({ components, signal }: ResponseContext, { cid, name, size, content }: File): Promise<string> {
  const named = name == null ? undefined : typeOfName(name)

  if (content != null || named != null) {
    return content == null ? named ?? '' : 'inode/symlink'
  }

  const cache = types.get(components) ?? new TypeCache()
  types.set(components, cache)

  return cache.get(cid, async () => {
    const sample = new Uint8Array(SAMPLE_LENGTH)
    let length = 0

    for await (const bytes of components.fs.cat(cid, { length: SAMPLE_LENGTH, signal })) {
      const part = bytes.subarray(0, SAMPLE_LENGTH - length)
      sample.set(part, length)
      length += part.byteLength
    }

    return typeOfBytes(sample.subarray(0, length), length === size)
  })
}
