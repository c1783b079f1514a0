import { explain } from '../errors.ts'
import type { PinRecordError } from '../errors.ts'
import type { Output } from './output.ts'

/**
 * Report pin records that cannot be read: on stderr, and with `--json` also as one object each. Commands call this
 * last, so that people see it.
 *
 * @param more - further fields for the JSON objects
 */
export function reportPinRecords (
  errors: readonly PinRecordError[],
  output: Output,
  more: Record<string, unknown> = {}
): void {
  for (const err of errors) {
    if (output.json) {
      output.result(
        {
          cid: err.cid?.toString(),
          ...more,
          state: 'unreadable',
          record: err.file,
          error: err.name,
          message: err.message
        },
        ''
      )
    }

    output.error(explain(err), err)
  }
}
