import { withReading } from '../context.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { printable } from '../terminal/output.ts'
import { parseCidPath } from '../terminal/cid-path.ts'
import { formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { CidPath } from '../terminal/cid-path.ts'
import type { DirectoryEntry, Ipfsz } from '@ipfsz/core'

/** List a directory: CID, sizes, codec and name of each entry. A file is listed as a single entry. */
export async function ls (text: string, context: Context): Promise<void> {
  const target = parseCidPath(text)

  await withReading(
    context,
    target.cid,
    async ({ files }) => { await list(target, files, context) },
    // not the entity: of a file, that would be all of it
    { plan: { path: target.path, scope: 'block' } }
  )
}

async function list ({ cid, path }: CidPath, files: Ipfsz, { output, signal }: Context): Promise<void> {
  for await (const entry of files.ls(cid, { path, signal, onProgress: noteLinks(output) })) {
    const { name, size, storedSize = size, codec = 'none', ratio, sizeKnown = true, mtime } = entry
    const type = typeOf(entry)
    const directory = type === 'directory'
    const link = type === 'symlink' ? Buffer.from(entry.unixfs?.data ?? []).toString() : undefined

    output.result({
      cid: entry.cid.toString(),
      plainCid: entry.plainCid.toString(),
      name,
      type,
      // unknown for a directory: its entries are not read
      ...directory || !sizeKnown ? {} : { size, ratio },
      storedSize,
      codec: directory ? undefined : codec,
      link,
      mode: entry.unixfs?.mode,
      mtime: mtime == null ? undefined : Number(mtime.secs) + (mtime.nsecs ?? 0) / 1e9
    }, [
      entry.cid,
      directory || !sizeKnown ? '-' : formatSize(size),
      formatSize(storedSize),
      directory ? '-' : codec,
      `${printable(name)}${directory ? '/' : ''}${link == null ? '' : ` -> ${printable(link)}`}`
    ].join('\t'))
  }
}

/** The type of an entry, or `unknown` if its block is not in the repo. */
export function typeOf ({ type, unixfs }: Pick<DirectoryEntry, 'type' | 'unixfs'>): string {
  return type == null ? 'unknown' : unixfs?.type === 'symlink' ? 'symlink' : type
}
