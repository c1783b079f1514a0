import type { AddedRoot } from '@ipfsz/node/add'

type Figures = Pick<
  AddedRoot,
  'codec' | 'content' | 'known' | 'newSize' | 'ratio' | 'readableWith' | 'size' | 'storedSize'
>

/** A file or directory that was added, as `ipfsz add` prints it. */
export interface PrintedAdd extends Figures {
  cid: string
  plainCid: string
  name: string
  type?: string | undefined
  /** Where a gateway serves it, if one runs. */
  url?: string | undefined
}

/** What was added for one path of the command line. */
export interface PrintedRoot extends PrintedAdd, Pick<AddedRoot, 'changed' | 'executables' | 'hidden'> {
  /** With `--codec auto`: how many files got each codec. */
  chosen?: AddedRoot['codecs'] | undefined
  /** The command that reads it. Undefined if ipfsz does not have the blocks. */
  next: string | undefined
  /** Whether nothing was stored. */
  onlyHash: boolean
  dryRun: boolean
}
