import { CorruptFrameError } from '../errors.ts'
import type { StreamInput } from './stream-input.ts'

/**
 * Tapes and block devices are filled up with zeros, which gzip's tool lets pass. It
 * warns of anything else and goes on; here that is refused.
 *
 * @throws {CorruptFrameError}
 */
export async function checkPadding (input: StreamInput): Promise<void> {
  for (let bytes = await input.take(); bytes != null; bytes = await input.take()) {
    if (bytes.some(byte => byte !== 0)) {
      throw new CorruptFrameError('gzip', 'other bytes follow it')
    }
  }
}
