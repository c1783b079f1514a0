import { printable } from './output.ts'
import { formatSize } from './units.ts'
import type { Output } from './output.ts'

/** A file or directory that was added, as `ipfsz add` prints it. */
export interface PrintedAdd {
  cid: string
  plainCid: string
  name: string
  /** Original bytes. */
  size: number | bigint
  storedSize: bigint
  ratio: number
  codec: string
  type?: string | undefined
  /** Where a gateway serves it, if one runs. */
  url?: string | undefined
}

/** @param quieter - whether to print only the CID */
export function printAdded (
  { cid, plainCid, name, size, storedSize, ratio, codec, type, url }: PrintedAdd,
  quieter: boolean,
  output: Pick<Output, 'result'>
): void {
  output.result(
    { cid, plainCid, name, size, storedSize, ratio, codec, type, url },
    quieter
      ? cid
      : [cid, printable(name), formatSize(size), formatSize(storedSize), ratio.toFixed(3)].join('\t')
  )
}
