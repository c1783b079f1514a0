import { CorruptFrameError } from '../errors.ts'
import type { StreamInput } from './stream-input.ts'

/**
 * Check that only zeros follow, which fill up tapes and block devices. The gzip tool accepts
 * zeros too, and ignores other bytes with a warning.
 *
 * @throws {CorruptFrameError} there are other bytes
 */
export async function checkPadding (input: StreamInput): Promise<void> {
  for (let bytes = await input.take(); bytes != null; bytes = await input.take()) {
    if (bytes.some(byte => byte !== 0)) {
      throw new CorruptFrameError('gzip', 'other bytes follow it')
    }
  }
}
