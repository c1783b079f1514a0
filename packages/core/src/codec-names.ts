import { CODES } from '@ipfsz/codecs'
import type { CodecName } from '@ipfsz/codecs'

const NAMES = new Map<number, CodecName>(Object.entries(CODES).map(([name, code]) => [code, name as CodecName]))

/** The codec name of a compressed file's marker code. Undefined for any other code. */
export function codecName (code: number): CodecName | undefined {
  return NAMES.get(code)
}
