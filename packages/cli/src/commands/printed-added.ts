import type { Context } from '../context.ts'
import type { PrintedAdd, PrintedRoot } from '../terminal/printed-add.ts'
import type { AddedEntry, AddedRoot } from '@ipfsz/node/add'

/** The path that stands for stdin. */
export const STDIN = '-'

/** What the command prints of an entry of a directory that was added. */
export function printedEntry ({ cid, plainCid, path: name, ...entry }: AddedEntry): PrintedAdd {
  return { ...entry, cid: cid.toString(), plainCid: plainCid.toString(), name }
}

export interface PrintedRootInit {
  /** Whether ipfsz chose the codec. */
  isAuto: boolean
  /** Whether nothing was stored, with these options. */
  onlyHash: boolean
  dryRun: boolean
  /** Whether it was stored in the repo, so that a command can read it. */
  isInRepo: boolean
}

/** What the command prints of a path that was added. */
export function printedRoot (
  { cid, plainCid, name, type, codecs, ...root }: AddedRoot,
  { isAuto, onlyHash, dryRun, isInRepo }: PrintedRootInit,
  { output }: Pick<Context, 'output'>
): PrintedRoot {
  const isFile = type === 'file'

  return {
    ...root,
    cid: cid.toString(),
    plainCid: plainCid.toString(),
    name: isFile && name === '' ? STDIN : name,
    type: isFile ? undefined : type,
    chosen: isAuto ? codecs : undefined,
    next: isInRepo ? output.typed(`ipfsz ${isFile ? 'cat' : 'get'} `) + cid.toString() : undefined,
    onlyHash,
    dryRun
  }
}
