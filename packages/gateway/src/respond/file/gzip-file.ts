import { acceptsCoding } from '../../request/accept-encoding.ts'
import type { Compressor } from '../../contract.ts'
import type { ResponseContext } from '../context.ts'
import type { ServedFile } from './served-file.ts'

/** Smaller files fit into one packet of a network, with their headers. */
const MIN_SIZE = 1024

/** Whether a file may go out with gzip, if it is not sent as it is stored. It shrank when it was added. */
export function canGzip ({ request, init: { compressor } }: ResponseContext, file: ServedFile): boolean {
  return compressor != null && file.isCompressed && (file.size ?? MIN_SIZE) >= MIN_SIZE &&
    acceptsCoding(request.headers, 'gzip')
}

/** The compressor, if it takes files and has time for one. */
export function freeCompressor ({ init: { compressor } }: ResponseContext): Compressor | undefined {
  return compressor?.takesFiles() === true ? compressor : undefined
}
