import { CorruptFrameError } from '../errors.ts'
import { createGlue } from '../generated/brotli-decompress-glue.ts'
import { checkBrotliEnd, checkBrotliStart } from './brotli-checks.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import type * as BrotliDecWasm from 'brotli-dec-wasm/web'

/** Maximum number of bytes to decode in one call. */
const CHUNK_SIZE = 128 * 1024
/** Maximum number of bytes to copy into the module in one call. Unused bytes are copied again. */
const INPUT_SIZE = 16 * 1024

/** Each stream has its own instance of the module, so its heap is freed with the stream. */
export function createStream (module: WebAssembly.Module): StreamDecoder {
  return async function * (input) {
    await checkBrotliStart(input)

    const glue = createGlue() as typeof BrotliDecWasm
    await glue.default({ module_or_path: module })
    const { NeedsMoreInput, ResultSuccess } = glue.BrotliStreamResultCode
    const stream = new glue.BrotliDecStream()
    let code = NeedsMoreInput

    while (code !== ResultSuccess) {
      const bytes = await input.take(INPUT_SIZE)

      if (bytes == null && code === NeedsMoreInput) {
        throw new CorruptFrameError('brotli', 'it is cut short')
      }

      const result = stream.dec(bytes ?? new Uint8Array(0), CHUNK_SIZE)
      const { buf: output, input_offset: used } = result
      code = result.code
      // free the output on the WebAssembly heap
      result.free()

      if (bytes != null) {
        input.unread(bytes.subarray(used))
      }

      yield output
    }

    await checkBrotliEnd(input)
  }
}
