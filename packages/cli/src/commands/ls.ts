import { storedModeOf } from '@ipfsz/core'
import { nameOf, withTarget } from '@ipfsz/node/read'
import { nodeContext } from '../context.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { printable } from '../terminal/output.ts'
import { LateProgress } from '../terminal/progress.ts'
import { cidCell, sizeCell, sizeHeading, wordCell } from '../terminal/row.ts'
import { withLittleMemory } from './little-memory.ts'
import type { Context } from '../context.ts'
import type { CidPath } from '@ipfsz/node/read'
import type { Cell } from '../terminal/row.ts'
import type { DirectoryEntry, Ipfsz } from '@ipfsz/core'

/** Columns of the longest codec name, of `0644`, and of a time. */
const CODEC_WIDTH = 6
const MODE_WIDTH = 4
const TIME_WIDTH = 20

export interface LsCommandOptions {
  /** Also print modes and modification times. */
  long?: boolean
  /** Also list what is in directories, each below its directory. */
  recursive?: boolean
}

/** List a directory: CID, sizes, codec and name of each entry. A file is listed as a single entry. */
export async function ls (text: string, options: LsCommandOptions, context: Context): Promise<void> {
  const { output } = context
  const progress = new LateProgress(() => output.progress(`listing ${text}`, undefined, 'entry'))
  // on a terminal, the list itself shows how far it is
  const onEntry = output.stdout.isTTY === true ? () => {} : () => { progress.add(1) }

  output.heading(headings(options))

  try {
    await withLittleMemory(async () => withTarget(
      nodeContext(context),
      text,
      // not the entity: of a file, that would be all of it
      { scope: 'block' },
      async (target, { files }) => {
        await list({ ...target, prefix: '', fileName: nameOf(target) }, files, { ...options, onEntry }, context)
      }
    ))
  } finally {
    progress.end()
  }
}

async function list (
  { cid, path, prefix, fileName }: Pick<CidPath, 'cid' | 'path'> & { prefix: string, fileName?: string },
  files: Ipfsz,
  options: LsCommandOptions & { onEntry: () => void },
  context: Context
): Promise<void> {
  const { output, signal } = context

  for await (const entry of files.ls(cid, { path, signal, onProgress: noteLinks(output) })) {
    // in core, as in Helia, the name of a file is its CID, and so is its path
    const isFile = fileName != null && entry.path === entry.name
    const name = isFile ? fileName : `${prefix}${entry.name}`
    const { size, storedSize, codec = 'none', sizeKnown = entry.type != null } = entry
    const { directory, shown } = shownName(entry, name)

    output.row({ ...listedEntry(entry, name) }, [
      cidCell(entry.cid.toString()),
      sizeCell(directory || !sizeKnown ? undefined : size),
      sizeCell(storedSize),
      wordCell(directory ? '-' : codec, CODEC_WIDTH),
      ...options.long === true ? [wordCell(modeOf(entry), MODE_WIDTH), wordCell(timeOf(entry), TIME_WIDTH)] : [],
      shown
    ])

    options.onEntry()

    if (options.recursive === true && directory) {
      await list({ cid: entry.cid, path: '', prefix: `${name}/` }, files, options, context)
    }
  }
}

/** What programs are told of an entry. */
export function listedEntry (entry: DirectoryEntry, name: string): Record<string, unknown> {
  const { size, storedSize, codec = 'none', ratio, sizeKnown = entry.type != null, mtime } = entry
  const directory = typeOf(entry) === 'directory'

  return {
    cid: entry.cid.toString(),
    plainCid: entry.plainCid.toString(),
    name,
    type: typeOf(entry),
    // unknown for a directory: its entries are not read
    ...directory || !sizeKnown ? {} : { size, ratio },
    storedSize,
    codec: directory ? undefined : codec,
    link: linkOf(entry),
    mode: entry.unixfs == null ? undefined : storedModeOf(entry.unixfs),
    mtime: mtime == null ? undefined : Number(mtime.secs) + (mtime.nsecs ?? 0) / 1e9
  }
}

/** A name as people read it: with a slash for a directory, and with what a symlink contains. */
export function shownName (entry: DirectoryEntry, name: string): { directory: boolean, shown: string } {
  const directory = typeOf(entry) === 'directory'
  const link = linkOf(entry)

  return {
    directory,
    shown: `${printable(name)}${directory ? '/' : ''}${link == null ? '' : ` -> ${printable(link)}`}`
  }
}

function linkOf (entry: DirectoryEntry): string | undefined {
  return typeOf(entry) === 'symlink' ? Buffer.from(entry.unixfs?.data ?? []).toString() : undefined
}

function headings ({ long = false }: LsCommandOptions): Cell[] {
  return [
    cidCell('CID'),
    sizeHeading('ORIGINAL'),
    sizeHeading('STORED'),
    wordCell('CODEC', CODEC_WIDTH),
    ...long ? [wordCell('MODE', MODE_WIDTH), wordCell('CHANGED', TIME_WIDTH)] : [],
    'NAME'
  ]
}

/** Such as `0644`, or `-` if none is stored. */
function modeOf ({ unixfs }: DirectoryEntry): string {
  const mode = unixfs == null ? undefined : storedModeOf(unixfs)

  return mode == null ? '-' : `0${(mode & 0o7777).toString(8).padStart(3, '0')}`
}

/** Such as `2026-01-31T12:00:00Z`, or `-` if the directory keeps no times. */
function timeOf ({ mtime }: DirectoryEntry): string {
  const date = new Date(Number(mtime?.secs ?? Number.NaN) * 1000)

  return Number.isNaN(date.getTime()) ? '-' : date.toISOString().replace('.000', '')
}

/** The type of an entry, or `unknown` if its block is not in the repo. */
export function typeOf ({ type, unixfs }: Pick<DirectoryEntry, 'type' | 'unixfs'>): string {
  if (unixfs?.type === 'symlink') {
    return 'symlink'
  }

  return type ?? 'unknown'
}
