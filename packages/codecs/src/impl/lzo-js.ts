import { decodeLzop, encodeLzop } from '../format/lzo/lzop-file.ts'
import type { Implementation } from '../implementation.ts'

export function create (): Implementation {
  return { compress: encodeLzop, decompress: decodeLzop }
}
