import { explain } from '../errors.ts'
import type { PinRecordError } from '../errors.ts'
import type { Output } from './output.ts'

/**
 * Name the pin records that cannot be read: on stderr, and with `--json` in a row each.
 * They come last, where they are seen.
 *
 * @param more - what the rows of a command have besides
 */
export function reportPinRecords (errors: readonly PinRecordError[], output: Output, more: Record<string, unknown> = {}): void {
  for (const err of errors) {
    if (output.json) {
      output.result({ cid: err.cid?.toString(), ...more, state: 'unreadable', record: err.file, error: err.name, message: err.message }, '')
    }

    output.error(explain(err), err)
  }
}
