import type { Preserve } from '@ipfsz/node/internal/disk/file-content'
import type { AddPrinterInit } from '../terminal/add-printer.ts'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { CompressionOptions } from '@ipfsz/core'

/** What adding each path of a command line needs to know. */
export interface AddRootOptions extends AddPrinterInit {
  compression: CompressionOptions
  /** Where an earlier version of each path is that is added. */
  earlier?: Pick<CidPath, 'cid' | 'path'> | undefined
  /** Compute the CID of each uncompressed file, and link it to the compressed file. */
  link: boolean
  /** Compute CIDs, and store nothing. */
  onlyHash: boolean
  /** In directories, also add names that begin with a dot. */
  hidden: boolean
  /** Patterns of directory entries to skip. */
  ignore: string[]
  /** In directories, leave out what git ignores. */
  gitignore: boolean
  /** Metadata to keep. */
  preserve: Preserve
}
