import { codecName } from '../codec-names.ts'
import { frameCount } from './frame-sizes.ts'
import { hasBase } from './header.ts'
import type { Header } from './header.ts'

/** Whether only IPFSz can read the compressed file that has a header: no stock decoder takes it, or takes all of it. */
export function needsIpfsz (header: Pick<Header, 'codec' | 'filters' | 'frameLengths' | 'regions' | 'table'>): boolean {
  return header.filters != null || hasBase(header) || isCutShort(codecName(header.codec), frameCount(header))
}

/** Whether the tool of a codec stops after the first of these frames. */
export function isCutShort (codec: string | undefined, frames: number): boolean {
  return codec === 'brotli' && frames > 1
}
