import { BINARY, SAMPLE_LENGTH } from './content-type.ts'
import { GatewayError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { readFile } from '../read-file.ts'
import type { ResponseContext } from '../context.ts'
import type { ReadFile } from '../read-file.ts'
import type { CID } from 'multiformats/cid'

/** What is special of a file that stands for its path, such as the `index.html` of a directory or a 404 page. */
export interface FileOptions {
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

export interface ServedFile extends ReadFile {
  cid: CID
  name: string | undefined
  /** The target of a symlink. */
  content?: Uint8Array | undefined
}

/** The file that a path led to. */
export function describeFile ({ resolved, target }: ResponseContext, options: FileOptions): ServedFile {
  const { cid, stats, file } = resolved

  if (stats == null || file == null) {
    throw new GatewayError(500, `${cid} is not a file`)
  }

  const filename = target.query.get('filename')
  const content = stats.unixfs?.type === 'symlink' ? stats.unixfs.data ?? new Uint8Array(0) : undefined

  return {
    cid,
    file,
    name: filename == null || filename === '' ? options.name ?? target.path.at(-1) : filename,
    size: content?.byteLength ?? (stats.sizeKnown === false ? undefined : Number(stats.size)),
    isCompressed: stats.codec !== 'none',
    content
  }
}

/**
 * From the name, or from the first bytes, which are decompressed once for each file.
 *
 * @param isPart - whether only a range is sent, which may be there though the start of the file is not
 */
export async function typeOfFile (
  context: ResponseContext,
  file: ServedFile,
  isPart: boolean
): Promise<string> {
  const { cid, name, content } = file
  const { types, caches } = context.init.parts
  const named = name == null ? undefined : types.ofName(name)

  if (content != null || named != null) {
    return content == null ? named ?? '' : 'inode/symlink'
  }

  try {
    return await caches.types.get(cid.toString(), async signal => {
      const sample = await readSample({ ...context, signal }, file)

      return types.ofBytes(sample, sample.byteLength === file.size)
    }, context.signal)
  } catch (err) {
    context.signal.throwIfAborted()

    // an original whose link is unchecked can only be read as a whole
    if (isPart || (err instanceof Error && err.name === 'UncheckedLinkError')) {
      return BINARY
    }

    throw err
  }
}

async function readSample (context: ResponseContext, file: ServedFile): Promise<Uint8Array> {
  const sample = new Uint8Array(SAMPLE_LENGTH)
  const range = { start: 0, end: Math.min(file.size ?? SAMPLE_LENGTH, SAMPLE_LENGTH) }
  let length = 0

  for await (const bytes of readFile(context, { ...file, keepsOpen: true }, followSignal(context.signal), range)) {
    const part = bytes.subarray(0, SAMPLE_LENGTH - length)
    sample.set(part, length)
    length += part.byteLength
  }

  return sample.subarray(0, length)
}
