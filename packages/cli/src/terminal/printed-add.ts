import type { ChangedFiles, KnownCounts, TreeContent } from '@ipfsz/node/add'

/** A file or directory that was added, as `ipfsz add` prints it. */
export interface PrintedAdd {
  cid: string
  plainCid: string
  name: string
  /** Original bytes. */
  size: number | bigint
  /** Bytes of its own blocks, as in `stat`. */
  storedSize: bigint
  ratio: number
  codec: string
  type?: string | undefined
  /** Where a gateway serves it, if one runs. */
  url?: string | undefined
  /** Bytes of blocks that were not there before, of a path that was added with an earlier version. */
  newSize?: number | undefined
  /** Of a compressed file: the tool that reads it by its plain CID. See `readableWith`. */
  readableWith?: string | undefined
  /** Of a directory: how many files are in it, how many of them are compressed, and who can read those. */
  content?: TreeContent | undefined
  /** Of a directory whose files are known: how many are new, have changed, or were not read again. */
  known?: KnownCounts | undefined
}

/** What was added for one path of the command line. */
export interface PrintedRoot extends PrintedAdd {
  /** With `--codec auto`: how many files got each codec. */
  chosen?: Readonly<Record<string, number>> | undefined
  /** Hidden entries that were left out. */
  hidden: number
  /** Files that are executable, and will not be when they are read back. */
  executables: number
  changed: ChangedFiles
  /** The command that reads it. Undefined if ipfsz does not have the blocks. */
  next: string | undefined
  /** Whether nothing was stored. */
  onlyHash: boolean
  dryRun: boolean
}
